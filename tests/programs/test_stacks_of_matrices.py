"""Stacks of matrices: gradients through them, how heads are batched, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.diagnostics import ModelError
from tests.programs import stack_of_matrices_models as models
from tests.programs.stack_of_matrices_models import P, heads

SIZE = 4
INSTANCES = [[1, 2, 3], [5], [1, 1, 0, 7, 2, 0]]


def weights() -> P:
    random = np.random.default_rng(0)
    shapes = {"emb": (9, SIZE), "w": (SIZE, SIZE), "b": (SIZE,)}
    return P(**{n: random.normal(0, 0.5, s).astype(np.float32) for n, s in shapes.items()})


@ab.model
def loss(p: P, xs: list[int]) -> Any:
    return (models.self_attention(p, xs) ** 2).sum() + models.by_einsum(p, xs)[0].sum()


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_gradients_are_slopes(executor: Any) -> None:
    p = weights()
    fast = ab.compile(loss, p, options=ab.Options(executor=executor))
    _, found = fast.vjp(INSTANCES, [np.ones((), np.float32)] * len(INSTANCES))

    def total(w: Any) -> float:
        return sum(float(loss(P(emb=p.emb, w=w, b=p.b), x)) for x in INSTANCES)

    step = 1e-2
    for at in np.ndindex(SIZE, SIZE):
        up, down = p.w.copy(), p.w.copy()
        up[at] += step
        down[at] -= step
        slope = (total(up) - total(down)) / (2 * step)
        np.testing.assert_allclose(found.w[at], slope, rtol=0.05, atol=0.02)


@ab.model
def sliced(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    q, found = x @ p.w, []
    for h in range(2):
        part = q[:, 2 * h : 2 * h + 2]
        found.append(models.softmax(part @ part.T) @ part)
    return np.concatenate(found, axis=1)


@ab.model
def stacked(p: P, xs: list[int]) -> Any:
    q = heads(p.emb[xs] @ p.w)
    return models.merged(models.softmax(q @ q.transpose(0, 2, 1)) @ q)


@pytest.mark.usefixtures("interpreted_kernels")
def test_heads_of_a_stack_are_batched_like_slices() -> None:
    random = np.random.default_rng(1)
    xs = [random.integers(0, 9, random.integers(1, 12)).tolist() for _ in range(64)]
    batches = []
    for model in (sliced, stacked):
        fast = ab.compile(model, weights())
        fast(xs)
        batches.append(fast.last_profile.n_batches)
    assert batches[1] <= batches[0]


def heads_mixed(p: P, xs: list[int]) -> Any:
    return heads(p.emb[xs]).reshape(len(xs), 4)


def rows_cut(p: P, xs: list[int]) -> Any:
    return p.emb[:4].reshape(2, 2, 4)


def different_axes(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    return x[:, None, :] - x[None, :, :]


def view_of_a_view(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    q = x.reshape(len(xs), 2, 2)
    q += 1
    return x


def changed_head(p: P, xs: list[int]) -> Any:
    q = heads(p.emb[xs])
    for head in q:
        head += 1
    return q


def dropped_out(p: P, xs: list[int]) -> Any:
    return ops_dropout(heads(p.emb[xs]), 0.5)


ops_dropout = ab.ops.dropout


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (heads_mixed, r"AC010: this reshape of Tensor\[2, \?, 2\]"),
        (rows_cut, r"AC010: this reshape of Tensor\[4, H\]"),
        (different_axes, r"AC010: sub of Tensor\[\?, 1, H\] and Tensor\[1, \?, H\]"),
        (view_of_a_view, "AC015: an assignment that changes a tensor in place"),
        (changed_head, "AC015: an assignment that changes a tensor in place"),
        (dropped_out, r"AC010: dropout of a Tensor\[2, \?, 2\]"),
    ],
)
def test_refused(function: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ab.compile(ab.model(function), weights())


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_wrong_number_of_rows_is_the_instances_fault() -> None:
    @ab.model
    def model(p: P, x: tuple[int, list[int]]) -> Any:
        return p.emb[x[1]].reshape(x[0], 2, 2)

    fast = ab.compile(model, weights(), options=ab.Options(executor="vm"))
    assert fast([(2, [1, 2])])[0].shape == (2, 2, 2)
    with pytest.raises(ab.InstanceError, match="a size of 3 meets one of 2"):
        fast([(3, [1, 2])])
