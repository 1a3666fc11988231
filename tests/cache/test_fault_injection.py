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
@pytest.mark.parametrize(
    ("times", "seed"), [(10, 1), pytest.param(20, 2, marks=pytest.mark.exhaustive)]
)
def test_faults_are_public_errors_or_nothing(times: int, seed: int) -> None:
    command = ["-m", "tests.fault_injection", "--times", str(times), "--seed", str(seed)]
    done = subprocess.run(
        [sys.executable, *command],
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
