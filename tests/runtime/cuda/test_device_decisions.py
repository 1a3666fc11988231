"""Values that decisions need, from the GPU to the host."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check
from tests.runtime.cuda.small_models import DECIDING, PASSING, READING

Load = Callable[[str], ModuleType]


@pytest.mark.parametrize("n", [4, 1 << 15], ids=["near", "scattered"])
def test_one_transfer_per_synchronisation(mock: Mock, load_model: Load, n: int) -> None:
    """Values that lie near each other are copied with what is between, others come together
    first."""
    m = load_model(DECIDING)
    params = m.P(w=np.ones(n, np.float32))
    instances = [1.0, 3.0, 10.0, 150.0]
    fast = ab.compile(m.model, params, target="cuda")
    mock.log()
    results = fast(instances)
    log = mock.log()
    check([m.model(params, x) for x in instances], results)
    syncs = 8  # 1 doubles seven times; the last one alone
    transfers = [line for line in log if line.startswith("cuMemcpyDtoHAsync")]
    assert len(transfers) == syncs
    copies = log.count("cuLaunchKernel acrobat_copy_runs")
    if n == 4:
        assert copies == 0
    else:
        assert 0 < copies < syncs  # one value alone needs none
        assert transfers[0] == "cuMemcpyDtoHAsync 16"


def test_values_that_nobody_computes(mock: Mock, load_model: Load) -> None:
    m = load_model(READING)
    params = m.P(w=np.arange(4, dtype=np.float32))
    instances = [np.array([a, b], np.float32) for a, b in ((2, 1), (1, 2), (3, 3))]
    fast = ab.compile(m.model, params, target="cuda")
    check([m.model(params, x) for x in instances], fast(instances))


def test_results_that_nobody_computes(mock: Mock, load_model: Load) -> None:
    m = load_model(PASSING)
    params = m.P(w=np.arange(4, dtype=np.float32))
    instances = [np.full(4, i, np.float32) for i in range(3)]
    fast = ab.compile(m.model, params, target="cuda")
    for _ in range(2):
        check([m.model(params, x) for x in instances], fast(instances))
