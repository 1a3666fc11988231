"""Some faults at random moments, one of every kind; `python -m tests.fault_injection` has more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fault_injection.faults import FAULTS

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_faults_are_public_errors_or_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fault_injection", "--times", "16"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACROBAT_VERIFY": "0"},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *kinds, last = done.stdout.splitlines()
    assert [line.split()[0] for line in kinds] == [fault.__name__ for fault in FAULTS]
    assert last.startswith("16 trials, 0 bad")
