"""Random programs: interpreted and compiled, the same result as plain Python.

200 programs are tried; ACROBAT_PROGRAMS=10000 tries as many (with `-n auto`, on all cores).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from try_program import try_program

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "200"))
PER_TEST = 20
SEEDS = 1 << 20  # of each test, so that no two tests try the same program


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_random_programs(first: int, tmp_path: Path) -> None:
    @settings(
        max_examples=PER_TEST,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
    )
    @given(seed=st.integers(first * SEEDS, (first + 1) * SEEDS - 1))
    def try_some(seed: int) -> None:
        try_program(seed, tmp_path)

    try_some()
