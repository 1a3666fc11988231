"""Random programs: interpreted and compiled, the same results and errors as plain Python.

`python -m tests.random_programs` tries any number of them. Some more are drawn by hypothesis,
choice by choice.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.programs.generator.program import write_program
from tests.programs.try_program import try_program

INTERPRETED, COMPILED = range(60), range(100, 106)


@pytest.mark.slow
@pytest.mark.parametrize("way, seeds", [("vm", INTERPRETED), ("aot", COMPILED)])
def test_random_programs(way: str, seeds: range, tmp_path: Path) -> None:
    compared = 0
    for seed in seeds:
        source = write_program(random.Random(seed), way)
        try:
            compared += try_program(source, tmp_path)[0]
        except Exception as error:
            error.add_note(f"program {seed}, {way}:\n{source}")
            raise
    assert compared > 2 * len(seeds)


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(choose=st.randoms(use_true_random=False))
def test_programs_drawn_choice_by_choice(choose: random.Random, tmp_path: Path) -> None:
    try_program(write_program(choose, "vm"), tmp_path)
