"""Random programs: interpreted and compiled, the same result as plain Python.

200 programs are tried; ACROBAT_PROGRAMS=10000 tries as many (with `-n auto`, on all cores).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from try_program import try_program

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "200"))
PER_TEST = 20


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_random_programs(first: int, tmp_path: Path) -> None:
    # Seeds one after the other: what `try_program` does with one in eight, it does with as many.
    for seed in range(first, min(first + PER_TEST, COUNT)):
        try:
            try_program(seed, tmp_path)
        except Exception as error:
            error.add_note(f"program {seed}")
            raise
