"""Random programs: interpreted and compiled, the same result as plain Python.

200 programs are tried; ACROBAT_PROGRAMS=10000 tries as many (with `-n auto`, on all cores). Their
seeds are consecutive numbers. Some more are drawn by hypothesis, choice by choice, which makes of a
program that fails the least one that does.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from try_program import try_program

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "200"))
PER_TEST = 20


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_random_programs(first: int, tmp_path: Path) -> None:
    # Seeds one after the other: what `try_program` does with one in eight, it does with as many.
    for seed in range(first, min(first + PER_TEST, COUNT)):
        try:
            try_program(seed, tmp_path)
        except Exception as error:
            error.add_note(f"program {seed}")
            raise


@pytest.mark.slow
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(choose=st.randoms(use_true_random=False), seed=st.integers(0, 1 << 20))
def test_programs_drawn_choice_by_choice(choose: random.Random, seed: int, tmp_path: Path) -> None:
    try_program(seed, tmp_path, choose=choose)
