"""Results that stay on the GPU: how others and the host get at them, and how long they live."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from tests.runtime.cuda.first_result import first
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, on_gpu, problem
from tests.runtime.cuda.small_models import PASSING, SCALED

Load = Callable[[str], ModuleType]
N = 1 << 20
ILLEGAL, CAPTURING = 700, 900


def test_they_look_like_tensors(mock: Mock) -> None:
    _, instances, _ = problem("treelstm", 2)
    x = first(on_gpu("treelstm")(instances))
    assert (x.shape, x.ndim, x.size, len(x), x.dtype) == ((32,), 1, 32, 32, np.float32)  # type: ignore[comparison-overlap]
    assert repr(x) == "DeviceArray(shape=(32,), device='cuda:0')"


def test_one_transfer_brings_all_to_the_host(mock: Mock) -> None:
    _, instances, want = problem("treelstm", 7)
    fast = on_gpu("treelstm")
    # The kernel that copies is loaded when it is needed first.
    load = ["cuModuleLoadData", "cuModuleGetFunction"]
    for loaded in (load, []):
        results = fast(instances)
        mock.log()
        check(want, results)
        assert [line.split()[0] for line in mock.log()] == [
            "cuMemcpyHtoD",
            *loaded,
            "cuLaunchKernel",
            "cuMemcpyDtoH",
        ]


def test_a_kernel_that_could_not_be_loaded_is_loaded_later(mock: Mock) -> None:
    """The one that copies."""
    _, instances, want = problem("treelstm", 7)
    results = on_gpu("treelstm")(instances)
    mock.fail("cuModuleLoadData", 218)
    with pytest.raises(ab.DeviceError, match=r"^CUDA: loading the kernel that copies failed: "):
        first(results).numpy()
    check(want, results)


def test_one_tensor_needs_no_kernel(mock: Mock) -> None:
    _, instances, want = problem("nestedrnn", 1)
    results = on_gpu("nestedrnn")(instances)
    mock.log()
    check(want, results)
    assert [line.split()[0] for line in mock.log()] == ["cuMemcpyDtoH"]


def test_where_there_is_no_room_they_come_one_by_one(mock: Mock, load_model: Load) -> None:
    m = load_model(SCALED)
    params = m.P(w=np.ones(N, np.float32))
    fast = ab.compile(m.model, params, target="cuda")
    results = fast([2.0, 3.0])
    mock.reset(limit=mock.used())
    check([m.model(params, x) for x in (2.0, 3.0)], results)
    log = [line.split()[0] for line in mock.log()]
    assert log.count("cuMemcpyDtoH") == 4 and "cuLaunchKernel" not in log


def test_numpy_reads_them(mock: Mock) -> None:
    _, instances, want = problem("treelstm", 1)
    x = first(on_gpu("treelstm")(instances))
    np.testing.assert_allclose(np.asarray(x), want[0][0], atol=1e-4)
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    np.testing.assert_allclose(np.tanh(x), np.tanh(want[0][0]), atol=1e-4)
    with pytest.raises(ValueError) as info:
        np.asarray(x, copy=False)
    assert str(info.value) == "a tensor on a GPU becomes a numpy array by a copy only"


def test_work_of_others_is_waited_for_before_memory_is_used_again(mock: Mock) -> None:
    _, instances, want = problem("treelstm", 2)
    fast = on_gpu("treelstm")
    x = first(fast(instances))
    assert x.__cuda_array_interface__ == {
        "shape": (32,),
        "typestr": "<f4",
        "data": (x._address, False),
        "strides": None,
        "stream": None,
        "version": 3,
    }
    mock.log()
    check(want, fast(instances))  # in other memory: x lives
    assert "cuCtxSynchronize" not in mock.log()
    del x
    gc.collect()
    for _ in range(2):
        check(want, fast(instances))
    assert mock.log().count("cuCtxSynchronize") == 1


def test_work_of_others_is_waited_for_before_memory_is_given_back(mock: Mock) -> None:
    _, instances, _ = problem("treelstm", 1)
    fast = on_gpu("treelstm")
    x = first(fast(instances))
    assert x.__cuda_array_interface__
    mock.log()
    del x, fast
    gc.collect()
    log = mock.log()
    assert log.count("cuCtxSynchronize") == 1
    assert log.index("cuCtxSynchronize") < log.index("cuMemUnmap")


def test_work_of_others_that_cannot_be_waited_for(mock: Mock) -> None:
    """As while a graph is captured: the next call waits again before it uses the memory."""
    _, instances, want = problem("treelstm", 2)
    fast = on_gpu("treelstm")
    x = first(fast(instances))
    assert x.__cuda_array_interface__
    del x
    gc.collect()
    mock.log()
    mock.fail("cuCtxSynchronize", CAPTURING)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: waiting for users of earlier results failed: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED "
        "(operation not permitted when stream is capturing)"
    )
    check(want, fast(instances))
    log = [line.split()[0] for line in mock.log()]
    assert log.count("cuCtxSynchronize") == 2
    assert not {"cuMemUnmap", "cuMemCreate"} & set(log), "it is the same memory"


def test_memory_that_others_may_read_is_lost_with_the_program(mock: Mock) -> None:
    _, instances, _ = problem("treelstm", 1)
    fast = on_gpu("treelstm")
    x = first(fast(instances))
    assert x.__cuda_array_interface__
    mock.log()
    mock.fail("cuCtxSynchronize", CAPTURING)
    del x, fast
    gc.collect()
    assert "cuMemUnmap" not in mock.log()
    assert "1 reservations" in mock.alive()
    mock.unmap_all()


def test_memory_goes_with_a_context_that_is_lost(mock: Mock) -> None:
    _, instances, _ = problem("treelstm", 1)
    fast = on_gpu("treelstm")
    x = first(fast(instances))
    assert x.__cuda_array_interface__
    mock.log()
    mock.fail("cuCtxSynchronize", ILLEGAL)
    del x, fast
    gc.collect()
    assert "cuMemUnmap" in mock.log()


def test_what_cannot_be_had(mock: Mock) -> None:
    _, instances, want = problem("treelstm", 1)
    x = first(on_gpu("treelstm")(instances))
    with pytest.raises(ValueError) as info:
        x.__dlpack__(stream=0)
    assert str(info.value) == (
        "stream 0 has two meanings: 1 is the default stream, 2 a thread's own"
    )
    with pytest.raises(BufferError) as other:
        x.__dlpack__(dl_device=(2, 1))
    assert str(other.value) == "the tensor is on GPU 0; it cannot be had on (2, 1)"
    with pytest.raises(BufferError) as copied:
        x.__dlpack__(copy=True)
    assert str(copied.value) == "the tensor can be had in place only; copy it where you use it"
    host = np.from_dlpack(x, device="cpu")  # type: ignore[arg-type]
    np.testing.assert_allclose(host, want[0][0], atol=1e-4)


def test_results_keep_their_memory(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    kept = []
    for batch in (1, 2, 7):
        _, instances, want = problem("treelstm", batch)
        kept.append((want, fast(instances)))
    del fast
    gc.collect()
    for want, results in kept:
        check(want, results)


def test_memory_that_nobody_keeps_is_used_again(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    _, instances, _ = problem("treelstm", 7)
    fast(instances)
    mock.log()
    for _ in range(3):
        fast(instances)
    log = mock.log()
    assert not [line for line in log if line.startswith(("cuMemCreate", "cuMemMap", "cuMemAlloc"))]
    assert log.count("cuStreamCreate") == 0


def test_no_tensor_goes_in_from_a_device(mock: Mock, load_model: Load) -> None:
    m = load_model(PASSING)
    fast = ab.compile(m.model, m.P(w=np.ones(4, np.float32)), target="cuda")
    ((x, _),) = fast([np.zeros(4, np.float32)])
    with pytest.raises(ab.InstanceError) as info:
        fast([x])
    assert str(info.value) == (
        "instances[0]: expected Tensor[4] as a numpy array, got DeviceArray on a GPU; copy it to "
        "the host first"
    )
