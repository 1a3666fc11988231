"""All workloads through the real run-time on the mock driver: results, and what the driver was
asked for, in which order."""

from __future__ import annotations

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import acrobat as ab
import workloads
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import GpuMode, check, on_gpu, problem
from tests.selection import some

MODES = ("launches", "persistent")
DECIDING = ("drnn", "berxit", "stackrnn")
CHANGES = {
    "off": ab.Options.all_off(),
    "gather": ab.Options(gather_fusion=False),
    "no fibers": ab.Options(fibers=False),
    "runtime_depth": ab.Options(scheduler="runtime_depth"),
    "agenda": ab.Options(scheduler="agenda"),
    "lookahead": ab.Options(scheduler="lookahead"),
    "no hoisting": ab.Options(hoisting=False),
    "no phases": ab.Options(program_phases=False),
}


def kinds(log: list[str]) -> list[str]:
    """Calls that bear on the order of work, and kernels as what they are."""
    found = []
    for line in log:
        name = line.split()[0]
        if name in ("cuLaunchKernel", "cuLaunchKernelEx"):
            name = "copy" if line.endswith("acrobat_copy_runs") else "kernel"
        if name.startswith(("cuMemcpy", "cuStreamSynchronize", "cuCtx")) or name[:2] != "cu":
            found.append(name)
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", workloads.NAMES)
def test_batches_agree_with_plain_python(mock: Mock, name: str, mode: GpuMode) -> None:
    fast = on_gpu(name, ab.Options(gpu_mode=mode))
    for batch in (1, 2, 7, 2):
        _, instances, want = problem(name, batch)
        check(want, fast(instances))


@pytest.mark.parametrize("name", ["treelstm", "mvrnn", "drnn"])
def test_any_order(mock: Mock, name: str) -> None:
    fast = on_gpu(name)
    _, instances, want = problem(name, 7)
    order = np.random.default_rng(0).permutation(7)
    check([want[i] for i in order], fast([instances[i] for i in order]))


def in_turn(change: str, name: str, mode: GpuMode) -> bool:
    """Every change in both modes, once on a workload that decides."""
    number = list(CHANGES).index(change)
    still, deciding = ("treelstm", "berxit")[number % 2], ("drnn", "stackrnn")[number % 2]
    return (name, mode) in ((still, MODES[number // 2 % 2]), (deciding, MODES[1 - number // 2 % 2]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name", "mode"),
    some(
        itertools.product(CHANGES, ("treelstm", "berxit", "drnn", "stackrnn"), MODES),
        always=in_turn,
    ),
)
def test_options(mock: Mock, change: str, name: str, mode: GpuMode) -> None:
    _, instances, want = problem(name, 2)
    check(want, on_gpu(name, dataclasses.replace(CHANGES[change], gpu_mode=mode))(instances))


@pytest.mark.parametrize("name", workloads.NAMES)
def test_the_least_that_a_driver_can_be_asked(mock: Mock, name: str) -> None:
    """Per computation one copy of offsets, before its kernels; per decision one kernel that stores
    what it needs in the host's memory, and one wait; one wait at the end; nothing else waits or
    copies."""
    fast = on_gpu(name)
    _, instances, _ = problem(name, 7)
    fast(instances)
    mock.log()
    fast(instances)
    log = kinds(mock.log())
    profile = fast.last_profile
    assert (profile.n_syncs > 0) == (name in DECIDING)
    assert log.count("cuStreamSynchronize") == profile.n_syncs + 1
    assert log.count("copy") == profile.n_syncs and "cuMemcpyDtoHAsync" not in log
    assert log.count("kernel") == profile.n_kernel_calls
    parts = " ".join(log).split("cuStreamSynchronize")
    assert parts.pop() == ""
    for i, part in enumerate(parts):
        calls = part.split()
        uploads = calls.count("cuMemcpyHtoDAsync")
        assert uploads <= 1 + (name == "berxit" and i == 0), "offsets, and tensors of instances"
        assert calls[:uploads] == ["cuMemcpyHtoDAsync"] * uploads
        if calls and i < len(parts) - 1:
            assert calls.pop() == "copy"
        assert set(calls[uploads:]) <= {"kernel"}


def test_without_gather_fusion_operands_are_copied_by_one_kernel_per_batch(mock: Mock) -> None:
    fast = on_gpu("treelstm", ab.Options(gather_fusion=False))
    _, instances, want = problem("treelstm", 7)
    mock.log()
    check(want, fast(instances))
    log = kinds(mock.log())
    assert log.count("cuMemcpyHtoDAsync") == 1
    assert "copy kernel copy kernel" in " ".join(log)


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("name", ["treelstm", "drnn"])
def test_kernels_begin_early_behind_kernels(mock: Mock, name: str, early: bool) -> None:
    """From compute capability 9 on, and not behind a copy or a wait."""
    if not early:
        mock.fail("cuDeviceGetAttribute major", 1, call=2)
    fast = on_gpu(name)
    _, instances, want = problem(name, 7)
    mock.log()
    got = fast(instances)
    log = [line for line in mock.log() if line.startswith(("cuLaunch", "cuMemcpy", "cuStreamSyn"))]
    check(want, got)
    for before, line in itertools.pairwise(log):
        follows = before.startswith("cuLaunch") and "acrobat_copy_runs" not in before
        if line.startswith("cuLaunch") and "acrobat_copy_runs" not in line:
            assert line.startswith("cuLaunchKernelEx") == (follows and early), (before, line)
    assert any(line.startswith("cuLaunchKernelEx") for line in log) == early


def test_kernels_get_batches_they_are_made_for_and_shared_memory(mock: Mock) -> None:
    mock.shared = 100 << 10
    fast = on_gpu("treelstm")
    assert mock.log().count(f"cuFuncSetAttribute {100 << 10}") == 4
    _, instances, want = problem("treelstm", 7)
    check(want, fast(instances))
    symbols = {line.split()[1] for line in mock.log() if line.startswith("cuLaunchKernel")}
    assert {s[-2:] for s in symbols if "copy_runs" not in s} == {"_1", "16"}


def test_several_threads(mock: Mock) -> None:
    fast = on_gpu("drnn")
    _, instances, want = problem("drnn", 7)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(fast.program.run, fast.prepare(instances)) for _ in range(8)]  # type: ignore[arg-type]
        for job in jobs:
            check(want, job.result()[0])


def test_times_and_counts(mock: Mock) -> None:
    fast = on_gpu("drnn")
    _, instances, _ = problem("drnn", 7)
    fast(instances)
    profile = fast.last_profile
    # The mock's clock: a microsecond per computation.
    assert profile.kernel_ms == pytest.approx(1e-3 * (profile.n_syncs + 1))
    assert profile.copy_ms > 0 and fast.count_least_batches(fast.prepare(instances)) > 0
    assert mock.built == [(90, "fp32")]


def test_what_was_compiled_can_be_read(mock: Mock) -> None:
    fast = on_gpu("treelstm", ab.Options(precision="tf32"))
    assert mock.built == [(90, "tf32")]
    assert "from 16 rows on tiles of 16 rows, 2 column blocks, 4 warps" in fast.explain()
    assert "@triton.jit" in fast.ir("kernels")
    assert "cuda::BlockKernels" in fast.ir("cpp")
