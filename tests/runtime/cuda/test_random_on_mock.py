"""Random programs through the run-time for GPUs: the same result as plain Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mock_gpu import Mock
from try_program import try_program

COUNT = int(os.environ.get("ACROBAT_PROGRAMS", "8"))


@pytest.mark.parametrize("mode", ["launches", "persistent"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs(mock: Mock, tmp_path: Path, seed: int, mode: str) -> None:
    try_program(seed, tmp_path, "cuda", gpu_mode=mode)
