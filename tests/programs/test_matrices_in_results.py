"""Matrices whose number of rows only the instance knows, in results: arrays, as in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.test_library_calls import weights
from workloads.results import flatten


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def alone(p: P, xs: list[int]) -> Any:
    return ops.stack([p.emb[x] * 2.0 for x in xs])


@ab.model
def beside(p: P, xs: list[int]) -> Any:
    ys = [p.b, p.emb[0]]
    return p.b, ops.stack(ys)


@ab.model
def everywhere(p: P, xs: list[int]) -> Any:
    m = ops.stack([p.emb[x] * 2.0 for x in xs])
    a = ops.softmax(m @ p.b)
    return a @ m, a, m.T, m @ m.T, {"m": m}, [m], (m if len(xs) > 1 else None), xs


LISTS = [[1, 2], [3], [4, 5, 6]]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize("check_finite", [False, True])
@pytest.mark.parametrize("model", [alone, beside, everywhere], ids=lambda m: m.function.__name__)
def test_are_arrays(model: Any, executor: Any, check_finite: bool) -> None:
    p = weights(P)
    options = ab.Options(executor=executor, check_finite=check_finite)
    for xs, got in zip(LISTS, ab.compile(model, p, options=options)(LISTS), strict=True):
        (texts, arrays), (got_texts, got_arrays) = flatten(model(p, xs)), flatten(got)
        assert got_texts == texts
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_have_cotangents(executor: Any) -> None:
    p = weights(P)
    fast = ab.compile(alone, p, options=ab.Options(executor=executor))
    given = [np.full((len(xs), 4), i + 1.0, np.float32) for i, xs in enumerate(LISTS)]
    results, gradients = fast.vjp(LISTS, given, wrt=["emb"])
    assert [r.shape for r in results] == [(2, 4), (1, 4), (3, 4)]
    expected = np.zeros((9, 4), np.float32)
    for i, xs in enumerate(LISTS):
        expected[xs] += 2 * (i + 1.0)
    np.testing.assert_allclose(gradients.emb.dense(), expected, rtol=1e-6)


def test_with_gradients_of_torch() -> None:
    torch = pytest.importorskip("torch")
    from acrobat.torch import Module

    module = Module(alone, weights(P))
    results = module(LISTS)
    assert [tuple(r.shape) for r in results] == [(2, 4), (1, 4), (3, 4)]
    torch.stack([r.sum() for r in results]).sum().backward()
    gradient = dict(module.named_parameters())["emb"].grad
    assert gradient is not None and float(gradient.to_dense().sum()) == 2 * 6 * 4
    with torch.no_grad():
        assert [tuple(r.shape) for r in module(LISTS)] == [(2, 4), (1, 4), (3, 4)]
