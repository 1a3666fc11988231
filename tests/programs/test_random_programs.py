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

from acrobat.kernels.printers.cpu.amx import why_no_matrix_unit
from tests.programs.generator.program import write_program
from tests.programs.try_program import try_program
from tests.selection import some

# In parts, of which the first ones always run: more seeds show what these do.
INTERPRETED = [range(first, first + 10) for first in range(0, 60, 10)]
COMPILED = [range(first, first + 2) for first in range(100, 106, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "way, seeds",
    some(
        [*(("vm", seeds) for seeds in INTERPRETED), *(("aot", seeds) for seeds in COMPILED)],
        always=lambda _, seeds: seeds in (INTERPRETED[0], COMPILED[0]),
    ),
)
def test_random_programs(way: str, seeds: range, tmp_path: Path) -> None:
    compared = 0
    for seed in seeds:
        source = write_program(random.Random(seed), way)
        try:
            compared += try_program(source, tmp_path)[0]
        except Exception as error:
            error.add_note(f"program {seed}, {way}:\n{source}")
            raise
    assert compared >= len(seeds)


@pytest.mark.slow
@pytest.mark.skipif(why_no_matrix_unit() is not None, reason="a CPU without AMX")
@pytest.mark.parametrize(
    "way, seeds",
    some([("vm", range(200, 205)), ("aot", range(200, 202))], always=lambda way, _: way == "vm"),
)
def test_random_programs_with_products_of_bfloat16(way: str, seeds: range, tmp_path: Path) -> None:
    compared = 0
    for seed in seeds:
        source = write_program(random.Random(seed), way, "bf16")
        try:
            compared += try_program(source, tmp_path)[0]
        except Exception as error:
            error.add_note(f"program {seed}, {way}:\n{source}")
            raise
    assert compared >= len(seeds)


FEW, MORE = (
    settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    for count in (6, 20)
)
CHOICES = given(choose=st.randoms(use_true_random=False))


def programs_drawn_choice_by_choice(choose: random.Random, tmp_path: Path) -> None:
    try_program(write_program(choose, "vm"), tmp_path)


test_few_programs_drawn_choice_by_choice = pytest.mark.slow(
    FEW(CHOICES(programs_drawn_choice_by_choice))
)
test_programs_drawn_choice_by_choice = pytest.mark.exhaustive(
    pytest.mark.slow(MORE(CHOICES(programs_drawn_choice_by_choice)))
)
