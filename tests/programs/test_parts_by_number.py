"""Parts of tensors that a number chooses which is known when the model is compiled: the heads of an
attention, in loops, comprehensions and functions."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

HEADS = 4
Xs = list[Float32[Tensor, "D"]]


@ab.params
class P:
    wq: Float32[Tensor, "D D"]
    wk: Float32[Tensor, "D D"]
    wv: Float32[Tensor, "D D"]
    wo: Float32[Tensor, "D D"]
    heads: int = 4


@ab.model
def comprehension(p: P, xs: Xs):
    """The heads in a comprehension, as many as a field of the weights says."""
    x = ops.stack(xs)
    q, k, v = x @ p.wq, x @ p.wk, x @ p.wv
    d = q.shape[-1] // p.heads
    heads = [
        ops.softmax(q[:, h * d : (h + 1) * d] @ k[:, h * d : (h + 1) * d].T / math.sqrt(d))
        @ v[:, h * d : (h + 1) * d]
        for h in range(p.heads)
    ]
    return (ops.concat(heads, axis=-1) @ p.wo).mean(axis=0)


def one_head(q, k, v, lo, hi):
    return ops.softmax(q[:, lo:hi] @ k[:, lo:hi].T) @ v[:, lo:hi]


@ab.model
def function(p: P, xs: Xs):
    """Bounds that a function takes."""
    x = ops.stack(xs)
    q, k, v = x @ p.wq, x @ p.wk, x @ p.wv
    d = p.wq.shape[1] // HEADS
    outs = []
    for h in range(HEADS):
        outs.append(one_head(q, k, v, h * d, h * d + d))
    return (ops.concat(outs, axis=1) @ p.wo).mean(axis=0)


def attention(p, x, heads=4):
    d = x.shape[-1] // heads
    q, k, v = x @ p.wq, x @ p.wk, x @ p.wv
    outs = []
    for h in range(heads):
        a, b = h * d, (h + 1) * d
        outs.append(ops.softmax(q[:, a:b] @ k[:, a:b].T) @ v[:, a:b])
    return ops.concat(outs, axis=1) @ p.wo


@ab.model
def numbers_of_heads(p: P, xs: Xs):
    """A function for each number of heads."""
    x = ops.stack(xs)
    return (attention(p, x, 2) + attention(p, x) + attention(p, x, heads=8)).mean(axis=0)


@ab.model
def counted(p: P, xs: Xs):
    """Bounds that the loop itself counts."""
    x = ops.stack(xs)
    outs = []
    start = 0
    for _ in range(HEADS):
        stop = start + 8
        q, k = (x @ p.wq)[:, start:stop], (x @ p.wk)[:, start:stop]
        outs += [ops.softmax(q @ k.T, axis=-1) @ (x @ p.wv)[:, start:stop]]
        start = stop
    return ops.concat(outs, axis=-1).mean(axis=0) @ p.wo


@ab.model
def vectors(p: P, xs: Xs):
    """Word by word."""
    out = []
    for x in xs:
        q = x @ p.wq
        heads = []
        for h in range(HEADS):
            lo, hi = h * 8, (h + 1) * 8
            scores = []
            for y in xs:
                k = y @ p.wk
                scores.append(ops.dot(q[lo:hi], k[lo:hi]))
            heads.append(
                ops.softmax(ops.stack(scores)) @ ops.stack([(y @ p.wv)[lo:hi] for y in xs])
            )
        out.append(ops.concat(heads) @ p.wo)
    return sum(out) / len(out)


@ab.model
def decorated_head(
    q: Float32[Tensor, "D"], k: Float32[Tensor, "D"], lo: int, hi: int
) -> Float32[Tensor, "8"]:
    return ops.tanh(q[lo:hi] * k[lo:hi])


@ab.model
def decorated(p: P, xs: Xs):
    """A function with all hints."""
    total = ops.zeros(8)
    for x in xs:
        q, k = x @ p.wq, x @ p.wk
        for h in range(HEADS):
            total = total + decorated_head(q, k, h * 8, h * 8 + 8)
    return total


@ab.model
def longer_and_longer(p: P, xs: Xs):
    """Sizes that differ from iteration to iteration."""
    total = ops.zeros(())
    for n in range(1, 9):
        for x in xs:
            total = total + (x[:n] * x[:n]).sum()
    return total


def repeated(p, x, n):
    return x if n == 0 else repeated(p, ops.tanh(x @ p.wq), n - 1)


@ab.model
def recursive(p: P, xs: Xs):
    """A number that is no size is an argument like any other."""
    return repeated(p, xs[0], 3) + repeated(p, xs[-1], len(xs))


MODELS = (
    *(comprehension, function, numbers_of_heads, counted, vectors, decorated),
    *(longer_and_longer, recursive),
)


def data() -> tuple[P, list[Any]]:
    random = np.random.default_rng(0)

    def weight() -> np.ndarray:
        return (random.normal(size=(32, 32)) / 6).astype(np.float32)

    lengths = (3, 5, 1, 7)
    xs = [[random.normal(size=32).astype(np.float32) for _ in range(n)] for n in lengths]
    return P(wq=weight(), wk=weight(), wv=weight(), wo=weight()), xs


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_as_in_plain_python(model: Any) -> None:
    p, instances = data()
    got = ab.compile(model, p, options=ab.Options(executor="vm"))(instances)
    for result, instance in zip(got, instances, strict=True):
        np.testing.assert_allclose(result, model(p, instance), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_compiled() -> None:
    p, instances = data()
    fast = ab.compile(numbers_of_heads, p)
    for result, instance in zip(fast(instances), instances, strict=True):
        np.testing.assert_allclose(result, numbers_of_heads(p, instance), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_heads_of_all_instances_batch() -> None:
    p, instances = data()
    fast = ab.compile(comprehension, p, options=ab.Options(executor="vm"))
    counts = []
    for batch in (instances[:1] * 2, instances[:1] * 16):
        fast(batch)
        counts.append(fast.last_profile.n_batches)
    assert counts[0] == counts[1] < 16
