"""Nodes that choose among the matrices of tables, through the run-time on the mock driver."""

from __future__ import annotations

import pytest

import acrobat as ab
from tests.programs.tables_of_matrices import instances, use, weights
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import GpuMode, check


@pytest.mark.parametrize("mode", ["launches", "persistent"])
def test_nodes_of_a_batch_choose(mock: Mock, mode: GpuMode) -> None:
    p = weights()
    fast = ab.compile(use, p, target="cuda", options=ab.Options(gpu_mode=mode))
    for count in (1, 64):
        given = instances(count, seed=count)
        check([use(p, item) for item in given], fast(given))
