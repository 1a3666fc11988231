"""Random programs through the run-time for GPUs: the same result as plain Python."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from mock_gpu import Mock

from tests.programs.generator.program import write_program
from tests.programs.try_program import try_program

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "8"))


@pytest.mark.parametrize("mode", ["launches", "persistent"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs(mock: Mock, tmp_path: Path, seed: int, mode: str) -> None:
    source = write_program(random.Random(seed), "aot")
    try_program(source, tmp_path, "cuda", executor="aot", gpu_mode=mode)
