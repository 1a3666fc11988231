"""Memory of the GPU: mini-batches that grow, that do not fit, and what is given back."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import GpuMode, check, on_gpu, problem
from tests.runtime.cuda.small_models import ATTENTION, SCALED

Load = Callable[[str], ModuleType]
MIB = 1 << 20
N = MIB // 4  # floats of a MiB
CAPTURING = 900


def scaled(load_model: Load, n: int) -> ab.CompiledModel[Any, Any]:
    """Two tensors of `n` floats per instance."""
    m = load_model(SCALED)
    return ab.compile(m.model, m.P(w=np.ones(n, np.float32)), target="cuda")


def expected(n: int, xs: list[float]) -> list[Any]:
    ones = np.ones(n, np.float32)
    return [(ones * x, ones * (1 + x)) for x in xs]


def test_what_does_not_fit_is_an_error_and_less_works(mock: Mock, load_model: Load) -> None:
    fast = scaled(load_model, N)
    check(expected(N, [1.0]), fast([1.0]))
    gc.collect()
    mock.reset(limit=mock.used() + 30 * MIB)
    with pytest.raises(ab.CapacityError) as info:
        fast([1.0] * 40)
    assert str(info.value) == (
        "the mini-batch needs 66 MiB more on the GPU for its tensors, and 30 MiB are free there; "
        "pass fewer instances per call"
    )
    check(expected(N, [1.0, 2.0]), fast([1.0, 2.0]))


def test_more_than_can_be_addressed(mock: Mock, load_model: Load) -> None:
    fast = scaled(load_model, 8 * N)
    mock.log()
    with pytest.raises(ab.CapacityError) as info:
        fast([1.0] * 1000)
    assert str(info.value) == (
        "the mini-batch needs 16000 MiB for its tensors, and one call can address 8160 MiB; pass "
        "fewer instances per call"
    )
    assert not [line for line in mock.log() if line.startswith("cuMemCreate")]


def test_memory_of_others_is_given_back_before_giving_up(mock: Mock, load_model: Load) -> None:
    fast = scaled(load_model, N)
    results = [fast([1.0] * 4) for _ in range(4)]
    del results
    gc.collect()
    mock.reset(limit=mock.used() + 2 * MIB)
    check(expected(N, [2.0] * 12), fast([2.0] * 12))


def test_memory_that_others_may_read_is_not_given_back(mock: Mock, load_model: Load) -> None:
    """Unless their work can be waited for, as it cannot while a graph is captured."""
    fast = scaled(load_model, N)
    given_away, other = fast([1.0] * 4), fast([1.0] * 4)
    assert given_away[0][0].__cuda_array_interface__
    del given_away
    del other  # the memory that is used next
    gc.collect()
    mock.reset(limit=mock.used() + 2 * MIB)
    mock.fail("cuCtxSynchronize", CAPTURING)
    with pytest.raises(ab.CapacityError) as info:
        fast([2.0] * 12)
    assert str(info.value).endswith("and 2 MiB are free there; pass fewer instances per call")
    assert "cuMemUnmap" not in mock.log()
    check(expected(N, [2.0] * 12), fast([2.0] * 12))


def test_growing_by_a_little_when_there_is_no_more(mock: Mock, load_model: Load) -> None:
    fast = scaled(load_model, N)
    mock.reset(limit=mock.used() + 12 * MIB)
    check(expected(N, [3.0] * 2), fast([3.0] * 2))


def test_weights_that_do_not_fit(mock: Mock, load_model: Load) -> None:
    mock.reset(limit=3 * MIB)
    with pytest.raises(ab.CapacityError) as info:
        scaled(load_model, 4 * N)
    text = str(info.value)
    del info
    assert text == "the weights need 4 MiB on the GPU, and 3 MiB are free there"


def test_weights_are_there_before_the_first_call(mock: Mock) -> None:
    """A copy from pageable memory may return before, and no call's stream waits for it."""
    mock.log()
    fast = on_gpu("treelstm")
    log = [line.split()[0] for line in mock.log()]
    last = len(log) - log[::-1].index("cuMemcpyHtoD")
    assert log[last:].count("cuStreamSynchronize") == log.count("cuStreamSynchronize") == 1
    _, instances, want = problem("treelstm", 2)
    results = fast(instances)
    x = results[0][0]
    np.testing.assert_allclose(mock.peek(x._address, x.size), want[0][0], atol=1e-4)


def test_what_waits_grows_where_it_is(mock: Mock) -> None:
    """Values computed before a decision are read after it, though the arena has grown."""
    fast = on_gpu("stackrnn")
    _, instances, want = problem("stackrnn", 7)
    check(want, fast(instances))


@pytest.mark.slow
def test_large_batches_of_temporaries_run_in_parts(mock: Mock, load_model: Load) -> None:
    m = load_model(ATTENTION)
    rng = np.random.default_rng(0)
    params = m.P(w=rng.standard_normal((2, 2)).astype(np.float32))
    instances = [rng.standard_normal((1024, 2)).astype(np.float32) for _ in range(18)]
    fast = ab.compile(m.model, params, target="cuda")
    scratch = max(p.scratch for p in fast.compilation.plans)
    assert scratch >= MIB
    check([m.model(params, x) for x in instances], fast(instances))
    per_part = sum(len(p.kernels) for p in fast.compilation.plans)
    assert fast.last_profile.n_kernel_calls > per_part


def test_nothing_is_left(mock: Mock) -> None:
    before = mock.alive()
    for name in ("treelstm", "drnn"):
        fast = on_gpu(name)
        _, instances, _ = problem(name, 2)
        results = [fast(instances) for _ in range(2)]
        assert mock.alive() != before
        del fast, results
        gc.collect()
        assert mock.alive() == before


@pytest.mark.parametrize("mode", ["launches", "persistent"])
def test_kernels_that_read_no_weights(mock: Mock, load_model: Load, mode: GpuMode) -> None:
    """Nothing is taken for them, and nobody asks where they would be."""
    module = load_model(
        """
@ab.params
class P:
    unused: Tensor["3"]


@ab.model
def f(p: P, x: Tensor["4"]) -> Tensor["4"]:
    return ops.tanh(x) * x
"""
    )
    p = module.P(unused=np.zeros(3, np.float32))
    fast = ab.compile(module.f, p, target="cuda", options=ab.Options(gpu_mode=mode))
    xs = [np.arange(4, dtype=np.float32) / n for n in (1, 2, 3)]
    for x, got in zip(xs, fast(xs), strict=True):
        np.testing.assert_allclose(got.numpy(), module.f(p, x), rtol=1e-5)
