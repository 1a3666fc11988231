"""`gpu_mode="persistent"`: one launch per computation, and grid barriers where they are needed. How
the mock runs a persistent kernel is in step_table.py."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
import workloads
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, on_gpu, problem
from tests.runtime.cuda.small_models import ATTENTION, DECIDING, PASSING

Load = Callable[[str], ModuleType]

PERSISTENT = ab.Options(gpu_mode="persistent")
NO_ROOM, TOO_LARGE, NOT_FOUND = -1, 720, 500


def launches(log: list[str]) -> list[str]:
    return [line.split()[1] for line in log if line.startswith("cuLaunch")]


@pytest.mark.parametrize("name", workloads.NAMES)
def test_one_launch_per_computation(mock: Mock, name: str) -> None:
    """Between two waits: copies to the GPU, and the kernel, which stores what decisions need in the
    host's memory."""
    fast = on_gpu(name, PERSISTENT)
    _, instances, want = problem(name, 7)
    fast(instances)
    mock.log()
    check(want, fast(instances))
    profile = fast.last_profile
    order = ["cuMemcpyHtoDAsync", "cuLaunchCooperativeKernel"]
    calls = [line.split()[0] for line in mock.log()]
    assert calls.count(order[1]) == profile.n_kernel_calls <= profile.n_syncs + 1
    assert calls.count("cuLaunchKernel") <= 1  # the results, brought together for the host
    assert "cuMemcpyDtoHAsync" not in calls
    part: list[int] = []
    for call in calls:
        if call == "cuStreamSynchronize":
            assert part == sorted(part) and part.count(1) <= 1
            part = []
        elif call in order:
            part.append(order.index(call))


@pytest.mark.parametrize("name", workloads.NAMES)
def test_as_many_kernels_as_launches(mock: Mock, name: str) -> None:
    """It runs what would be launched, with less than one grid barrier per kernel."""
    _, instances, _ = problem(name, 7)
    fast = on_gpu(name)
    fast(instances)
    launched = fast.last_profile.n_kernel_calls
    on_gpu(name, PERSISTENT)(instances)
    awaited = fast.last_profile.n_syncs  # a step that stores what decisions wait for
    assert sum(map(sum, mock.stages)) == launched + awaited
    assert sum(len(stages) - 1 for stages in mock.stages) < launched + awaited


def test_directions_run_side_by_side(mock: Mock) -> None:
    """The two directions of a BiRNN do not read each other."""
    _, instances, want = problem("birnn", 7)
    check(want, on_gpu("birnn", PERSISTENT)(instances))
    [stages] = mock.stages
    assert sum(n >= 2 for n in stages) > len(stages) / 2


@pytest.mark.parametrize("name", ["treelstm", "birnn", "berxit", "mvrnn"])
def test_a_grid_barrier_that_is_missing_is_noticed(mock: Mock, name: str) -> None:
    mock.ignore_grid_barriers = True
    _, instances, want = problem(name, 2)
    results = on_gpu(name, PERSISTENT)(instances)
    with pytest.raises(AssertionError):
        check(want, results)
    assert "a step reads what is written between the same grid barriers" in mock.wrong()


def test_kinds_are_chosen_by_rows(mock: Mock) -> None:
    mock.least_rows = (1, 2, 4)
    _, instances, want = problem("treelstm", 7)
    check(want, on_gpu("treelstm", PERSISTENT)(instances))


@pytest.mark.slow
def test_parts_of_large_batches(mock: Mock, load_model: Load) -> None:
    """Temporaries stay within their limit: there is a grid barrier before they are used again. What
    was copied for the whole batch stays where it is meanwhile."""
    m = load_model(ATTENTION)
    rng = np.random.default_rng(0)
    params = m.P(w=rng.standard_normal((2, 2)).astype(np.float32))
    instances = [rng.standard_normal((1024, 2)).astype(np.float32) for _ in range(18)]
    options = ab.Options(gpu_mode="persistent", gather_fusion=False)
    fast = ab.compile(m.model, params, "cuda", options)
    check([m.model(params, x) for x in instances], fast(instances))
    [plan] = fast.compilation.plans
    parts = -(-len(instances) // ((16 << 20) // plan.scratch))
    [stages] = mock.stages
    assert parts > 1
    assert sum(stages) == parts * len(plan.kernels) + 1, "one copy of operands for all parts"
    assert fast.last_profile.n_kernel_calls == 1


@pytest.mark.parametrize("n", [4, 1 << 15], ids=["near", "scattered"])
def test_awaited_values_are_stored_by_the_kernel(mock: Mock, load_model: Load, n: int) -> None:
    """Two driver calls for the work of a decision, and one wait."""
    m = load_model(DECIDING)
    params = m.P(w=np.ones(n, np.float32))
    instances = [1.0, 3.0, 10.0, 150.0]
    fast = ab.compile(m.model, params, "cuda", PERSISTENT)
    mock.log()
    results = fast(instances)
    log = mock.log()
    check([m.model(params, x) for x in instances], results)
    assert launches(log) == [next(iter(mock.persistent))] * 8
    assert not any(line.startswith("cuMemcpyDtoHAsync") for line in log)
    # From the second decision on page-locked memory is there.
    calls = [line.split()[0] for line in log]
    first, second = [at for at, call in enumerate(calls) if call == "cuStreamSynchronize"][1:3]
    assert calls[first + 1 : second + 1] == [
        "cuEventElapsedTime", "cuMemcpyHtoDAsync", "cuEventRecord", "cuLaunchCooperativeKernel",
        "cuEventRecord", "cuStreamSynchronize",
    ]  # fmt: skip


def test_nothing_to_compute(mock: Mock, load_model: Load) -> None:
    m = load_model(PASSING)
    params = m.P(w=np.arange(4, dtype=np.float32))
    instances = [np.full(4, i, np.float32) for i in range(3)]
    fast = ab.compile(m.model, params, "cuda", PERSISTENT)
    mock.log()
    check([m.model(params, x) for x in instances], fast(instances))
    assert launches(mock.log()) == ["acrobat_copy_runs"]  # the results
    assert fast.last_profile.n_kernel_calls == 0


def test_a_launch_that_fails(mock: Mock) -> None:
    fast = on_gpu("drnn", PERSISTENT)
    _, instances, want = problem("drnn", 2)
    mock.fail("cuLaunchCooperativeKernel", TOO_LARGE, call=2)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    text = str(info.value)
    assert text.startswith("CUDA: launching the persistent kernel with ")
    assert text.endswith(
        " programs (1024 bytes of shared memory) failed: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE "
        "(too many blocks in cooperative launch)"
    )
    check(want, fast(instances))


@pytest.mark.parametrize(("shared", "each"), [(100 << 10, 2), (227 << 10, 1)])
def test_as_many_programs_as_the_gpu_holds(mock: Mock, shared: int, each: int) -> None:
    """With so much shared memory, `each` on every multiprocessor."""
    mock.shared = shared
    _, instances, want = problem("berxit", 7)
    check(want, on_gpu("berxit", PERSISTENT)(instances))
    assert max(mock.programs) == 3 * each


def test_too_much_shared_memory(mock: Mock) -> None:
    mock.shared = (227 << 10) + 1
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm", PERSISTENT)
    assert str(info.value) == (
        "CUDA: giving the persistent kernel 232449 bytes of shared memory failed: "
        "CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )


def test_a_gpu_without_cooperative_launches(mock: Mock) -> None:
    mock.fail("cuDeviceGetAttribute cooperative", 1)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm", PERSISTENT)
    assert str(info.value) == (
        "GPU 0 has no cooperative launches, which Options.gpu_mode='persistent' needs; use "
        "'launches'"
    )


def test_a_persistent_kernel_that_does_not_fit(mock: Mock) -> None:
    mock.fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", NO_ROOM)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm", PERSISTENT)
    assert str(info.value) == (
        "GPU 0 has no room for the persistent kernel (1024 bytes of shared memory); use "
        "Options.gpu_mode='launches'"
    )


def test_machine_code_without_the_persistent_kernel(mock: Mock) -> None:
    mock.fail("cuModuleGetFunction", NOT_FOUND)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm", PERSISTENT)
    [symbol] = mock.persistent
    assert str(info.value) == (
        f"CUDA: finding {symbol} in {mock.folder / symbol}.cubin failed: CUDA_ERROR_NOT_FOUND "
        f"(named symbol not found)"
    )


def test_the_option(mock: Mock) -> None:
    with pytest.raises(ab.OptionError) as info:
        ab.Options(gpu_mode="graph")  # type: ignore[arg-type]
    assert str(info.value) == ("Options.gpu_mode='graph': the choices are 'launches', 'persistent'")
    params, _, _ = problem("treelstm", 1)
    with pytest.raises(ab.OptionError) as info:
        ab.compile(workloads.get("treelstm").model, params, "cpu", PERSISTENT)
    assert str(info.value) == (
        "Options.gpu_mode='persistent': the CPU launches nothing; pass target='cuda'"
    )
    fast = on_gpu("treelstm", PERSISTENT)
    assert fast.ir("kernels") == "text"
    assert "one launch per computation: a persistent kernel that runs all batches" in fast.explain()
