"""Some faults at random moments, one of every kind; `python -m tests.fault_injection` has more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fault_injection.faults import FAULTS
from tests.selection import some

ROOT = Path(__file__).parents[2]


KINDS = [fault.__name__ for fault in FAULTS]


@pytest.mark.slow
@pytest.mark.parametrize("half", some([0, 1], always=lambda half: half == 0))
def test_faults_are_public_errors_or_nothing(half: int) -> None:
    kinds = KINDS[half::2]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fault_injection"),
            *("--times", str(len(kinds)), "--only", *kinds),
        ],
        cwd=ROOT,
        # Without flags of its own: the run-time is in the cache, or will be of use there.
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACROBAT_VERIFY": "0", "ACROBAT_CXXFLAGS": ""},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == kinds
    assert last.startswith(f"{len(kinds)} trials, 0 bad")
