"""Some faults at random moments; `python -m tests.fault_injection` has more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fault_injection.faults import FAULTS
from tests.selection import some

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("times", some([3, 16], always=lambda times: times == 3))
def test_faults_are_public_errors_or_nothing(times: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fault_injection", "--times", str(times)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACROBAT_VERIFY": "0"},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *kinds, last = done.stdout.splitlines()
    assert [line.split()[0] for line in kinds] == [fault.__name__ for fault in FAULTS]
    assert last.startswith(f"{times} trials, 0 bad")
