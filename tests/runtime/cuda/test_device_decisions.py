"""Values that decisions need, from the GPU to the host."""

from __future__ import annotations

import ctypes
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
def test_a_kernel_stores_them_on_the_host(mock: Mock, load_model: Load, n: int) -> None:
    """Wherever they lie, and no copy follows it: one kernel before every wait."""
    m = load_model(DECIDING)
    params = m.P(w=np.ones(n, np.float32))
    instances = [1.0, 3.0, 10.0, 150.0]
    fast = ab.compile(m.model, params, target="cuda")
    mock.log()
    results = fast(instances)
    log = mock.log()
    check([m.model(params, x) for x in instances], results)
    waits = 8  # 1 doubles seven times
    calls = [line for line in log if line.startswith(("cuLaunch", "cuStreamSynchronize"))]
    assert calls.count("cuLaunchKernel acrobat_copy_runs") == waits
    before = [calls[at - 1] for at, call in enumerate(calls) if call == "cuStreamSynchronize"]
    assert before[:waits] == ["cuLaunchKernel acrobat_copy_runs"] * waits
    assert not any(line.startswith("cuMemcpyDtoHAsync") for line in log)


def test_what_is_stored_is_there_after_the_wait(mock: Mock) -> None:
    """The mock driver shows page-locked memory as late as a GPU may."""
    driver, context = mock.driver, ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxPushCurrent_v2(context)
    stream, host = ctypes.c_void_p(), ctypes.c_void_p()
    mapped, there = ctypes.c_uint64(), ctypes.c_uint64()
    size, values = ctypes.c_size_t(8), (ctypes.c_float * 2)(1.0, 2.0)
    driver.cuStreamCreate(ctypes.byref(stream), 1)
    driver.cuMemHostAlloc(ctypes.byref(host), size, 2)
    driver.cuMemHostGetDevicePointer_v2(ctypes.byref(mapped), host, 0)
    driver.cuMemAlloc_v2(ctypes.byref(there), size)
    driver.cuMemcpyHtoD_v2(there, values, size)
    driver.cuStreamSynchronize(None)
    seen = ctypes.cast(host, ctypes.POINTER(ctypes.c_float))
    driver.cuMemcpyDtoDAsync_v2(mapped, there, size, stream)
    assert np.isnan(seen[0])
    driver.cuStreamSynchronize(stream)
    assert seen[:2] == [1.0, 2.0]
    assert host.value != mapped.value
    driver.cuMemFreeHost(host)
    driver.cuMemFree_v2(there)
    driver.cuStreamDestroy_v2(stream)
    driver.cuCtxPopCurrent_v2(ctypes.byref(context))
    driver.cuDevicePrimaryCtxRelease_v2(0)


def test_page_locked_memory_that_the_gpu_does_not_reach(mock: Mock, load_model: Load) -> None:
    m = load_model(DECIDING)
    fast = ab.compile(m.model, m.P(w=np.ones(4, np.float32)), target="cuda")
    mock.fail("cuMemHostGetDevicePointer", 2)
    with pytest.raises(ab.CapacityError) as info:
        fast([1.0])
    assert str(info.value).startswith(
        "CUDA: asking where the GPU has page-locked memory failed: CUDA_ERROR_OUT_OF_MEMORY "
        "(out of memory)"
    )
    check([m.model(m.P(w=np.ones(4, np.float32)), 1.0)], fast([1.0]))


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
