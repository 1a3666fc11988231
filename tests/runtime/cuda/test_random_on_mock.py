"""Random programs through the run-time for GPUs: the same result as plain Python."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

from tests.programs.generator.program import write_program
from tests.programs.try_program import try_program
from tests.runtime.cuda.mock_gpu import Mock
from tests.selection import some

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "8"))
MODES = ("launches", "persistent")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "mode"),
    some(
        itertools.product(range(COUNT), MODES),
        always=lambda seed, mode: seed < 2 and mode == MODES[seed],
    ),
)
def test_random_programs(mock: Mock, tmp_path: Path, seed: int, mode: str) -> None:
    source = write_program(random.Random(seed), "aot")
    try_program(source, tmp_path, "cuda", executor="aot", gpu_mode=mode)
