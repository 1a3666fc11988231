"""Instances that are run again: a copy of their tensors stays on the GPU."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import GpuMode, check, on_gpu, problem
from tests.runtime.cuda.small_models import ADDING, READING

Load = Callable[[str], ModuleType]
MIB = 1 << 20
OUT_OF_MEMORY, INVALID, RESOURCES = 2, 1, 701


@dataclass
class Adding:
    """A compiled model that adds, `n` instances of it, their results, and the bytes of tensors."""

    fast: ab.CompiledModel[Any, Any]
    instances: list[np.ndarray]
    want: list[np.ndarray]
    bytes: int


def adding(load_model: Load, n: int = 3, width: int = 256) -> Adding:
    m = load_model(ADDING)
    w = np.arange(width, dtype=np.float32)
    fast = ab.compile(m.model, m.P(w=w), target="cuda")
    instances = [np.full(width, i, np.float32) for i in range(n)]
    return Adding(fast, instances, [w + x for x in instances], 4 * n * width)


def counts(log: list[str], size: int) -> tuple[int, int, int]:
    """How often so many bytes were copied from the host and within the GPU, and allotted there."""
    calls = ("cuMemcpyHtoDAsync", "cuMemcpyDtoDAsync", "cuMemAlloc")
    from_host, within, allotted = (log.count(f"{call} {size}") for call in calls)
    return from_host, within, allotted


FIRST, SECOND, LATER = (1, 0, 0), (1, 1, 1), (0, 1, 0)


def run(mock: Mock, a: Adding, inputs: Any) -> tuple[int, int, int]:
    """Run and compare; what was copied."""
    mock.log()
    results = a.fast.run(inputs)
    found = counts(mock.log(), a.bytes)
    check(a.want, results)
    return found


@contextmanager
def in_a_kernel(
    mock: Mock, a: Adding, inputs: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Future[Any]]:
    """A run in another thread, which stays in a kernel until the block ends."""
    evaluate, begun, go_on = mock._evaluate, threading.Event(), threading.Event()
    here = threading.current_thread()

    def held(*kernel: Any) -> None:
        if threading.current_thread() is not here:
            begun.set()
            assert go_on.wait(600)
        evaluate(*kernel)

    monkeypatch.setattr(mock, "_evaluate", held)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(a.fast.program.run, inputs)
        try:
            assert begun.wait(600)
            yield job
        finally:
            go_on.set()


def test_the_second_run_leaves_a_copy_for_later_ones(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    inputs, others = a.fast.prepare(a.instances), a.fast.prepare(a.instances)
    assert run(mock, a, inputs) == FIRST
    assert run(mock, a, inputs) == SECOND
    assert run(mock, a, inputs) == LATER
    assert run(mock, a, others) == FIRST
    assert run(mock, a, inputs) == LATER


def test_a_single_call_pays_for_no_copy(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    for _ in range(3):
        mock.log()
        check(a.want, a.fast(a.instances))
        assert counts(mock.log(), a.bytes) == FIRST


@pytest.mark.parametrize("mode", ["launches", "persistent"])
def test_programs_that_decide(mock: Mock, mode: GpuMode) -> None:
    fast = on_gpu("berxit", ab.Options(gpu_mode=mode))
    _, instances, want = problem("berxit", 7)
    inputs = fast.prepare(instances)
    sent: list[int] = []
    for _ in range(4):
        mock.log()
        check(want, fast.run(inputs))
        log = mock.log()
        sent.append(sum(int(line.split()[1]) for line in log if "cuMemcpyHtoDAsync" in line))
        assert sum(line.startswith("cuMemAlloc") for line in log) == (len(sent) == 2)
    assert sent[0] == sent[1]
    assert sent[2] == sent[3] == sent[0] - sum(x.tokens.nbytes for x in instances)


def test_a_decision_on_what_is_kept(mock: Mock, load_model: Load) -> None:
    m = load_model(READING)
    params = m.P(w=np.arange(4, dtype=np.float32))
    instances = [np.array([a, b], np.float32) for a, b in ((2, 1), (1, 2), (3, 3))]
    fast = ab.compile(m.model, params, target="cuda")
    inputs = fast.prepare(instances)
    for _ in range(4):
        check([m.model(params, x) for x in instances], fast.run(inputs))


def test_instances_without_tensors(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    _, instances, want = problem("treelstm", 2)
    inputs = fast.prepare(instances)
    mock.log()
    for _ in range(3):
        check(want, fast.run(inputs))
    assert not [line for line in mock.log() if line.startswith("cuMemAlloc")]


def test_several_threads(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    mock.log()
    with ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(a.fast.program.run, inputs) for _ in range(12)]:  # type: ignore[arg-type]
            check(a.want, job.result()[0])
    from_host, within, allotted = counts(mock.log(), a.bytes)
    assert allotted == 1 and from_host + within == 12 + allotted
    assert run(mock, a, inputs) == LATER


def test_no_other_call_reads_a_copy_that_is_not_complete(
    mock: Mock, load_model: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    assert run(mock, a, inputs) == FIRST
    with in_a_kernel(mock, a, inputs, monkeypatch) as second:
        assert run(mock, a, inputs) == FIRST
    check(a.want, second.result()[0])
    assert run(mock, a, inputs) == LATER


def test_no_memory_for_a_copy(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    assert run(mock, a, inputs) == FIRST
    mock.fail("cuMemAlloc", OUT_OF_MEMORY)
    assert run(mock, a, inputs) == (1, 0, 1)
    assert run(mock, a, inputs) == FIRST


@pytest.mark.parametrize(
    ("function", "code", "said"),
    [
        ("cuMemAlloc", INVALID, "taking memory for tensors of the instances failed"),
        ("cuMemcpyDtoDAsync", INVALID, "copying tensors of the instances failed"),
        ("cuLaunchKernel", RESOURCES, "launching kernel"),
        ("cuStreamSynchronize", INVALID, "computing the mini-batch failed"),
    ],
)
def test_a_second_run_that_fails(
    mock: Mock, load_model: Load, function: str, code: int, said: str
) -> None:
    """What it has made of the copy goes with it."""
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    assert run(mock, a, inputs) == FIRST
    used = mock.used()
    mock.fail(function, code)
    with pytest.raises(ab.DeviceError, match=f"CUDA: {said}"):
        a.fast.run(inputs)
    assert mock.used() == used
    assert run(mock, a, inputs) == FIRST


def test_a_copy_that_cannot_be_read(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    for _ in range(2):
        a.fast.run(inputs)
    mock.fail("cuMemcpyDtoDAsync", INVALID)
    with pytest.raises(ab.DeviceError) as info:
        a.fast.run(inputs)
    assert str(info.value) == (
        "CUDA: copying tensors of the instances failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )
    assert run(mock, a, inputs) == LATER


def test_a_copy_goes_with_the_instances(mock: Mock, load_model: Load) -> None:
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    a.fast.run(inputs)
    used = mock.used()
    a.fast.run(inputs)
    assert mock.used() == used + a.bytes
    del inputs
    gc.collect()
    assert mock.used() == used
    check(a.want, a.fast(a.instances))


def test_a_copy_outlives_the_program(mock: Mock, load_model: Load) -> None:
    before, used = mock.alive(), mock.used()
    a = adding(load_model)
    inputs = a.fast.prepare(a.instances)
    for _ in range(2):
        a.fast.run(inputs)
    size = a.bytes
    del a
    gc.collect()
    assert mock.used() == used + size
    del inputs
    gc.collect()
    assert mock.alive() == before


def test_a_copy_is_given_up_for_a_mini_batch(mock: Mock, load_model: Load) -> None:
    a = adding(load_model, 8, MIB // 4)
    inputs = a.fast.prepare(a.instances)
    for _ in range(2):
        a.fast.run(inputs)
    mock.reset(limit=mock.used() + 2 * MIB)
    results = a.fast(a.instances + a.instances[:4])
    assert "cuMemFree" in mock.log()
    check(a.want + a.want[:4], results)
    del results
    assert run(mock, a, inputs) == FIRST


def test_a_copy_that_is_read_stays_until_it_has_been(
    mock: Mock, load_model: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given up for another call's mini-batch, it lasts until its last reader has waited."""
    a = adding(load_model, 8, MIB // 4)
    inputs = a.fast.prepare(a.instances)
    for _ in range(2):
        a.fast.run(inputs)
    with in_a_kernel(mock, a, inputs, monkeypatch) as reader:
        mock.reset(limit=mock.used() + 2 * MIB)
        with pytest.raises(ab.CapacityError):
            a.fast(a.instances)
        assert "cuMemFree" not in mock.log()
    check(a.want, reader.result()[0])
    assert "cuMemFree" in mock.log()
