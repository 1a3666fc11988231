"""What an instance gets does not depend on the mini-batch that it is in, to the last bit: equal
instances are equal in `==`, in `argmax` and in a heap, as in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "20 H"]
    w: Float32[Tensor, "H K"]
    b: Float32[Tensor, "H"]
    c: Float32[Tensor, "K"]


@ab.model
def dot(p: P, x: int) -> Float32[Tensor, ""]:
    return p.emb[x] @ p.b


@ab.model
def product(p: P, x: int) -> Float32[Tensor, "K"]:
    return ops.tanh(p.emb[x] @ p.w + p.c)


@ab.model
def attention(p: P, x: int) -> Float32[Tensor, "H"]:
    return ops.softmax(p.emb[x] * p.b)


@ab.model
def total(p: P, x: int) -> Float32[Tensor, ""]:
    return (p.emb[x] * p.b).sum() + (p.emb[x] - p.b).mean()


@ab.model
def normed(p: P, x: int) -> Float32[Tensor, "H"]:
    return ops.layer_norm(p.emb[x], p.b, p.b)


@pytest.mark.parametrize("sizes", [(8, 8), (12, 5), (7, 1), (33, 17), (64, 128)])
@pytest.mark.parametrize("model", [dot, product, attention, total, normed])
def test_results_do_not_depend_on_the_batch(model: Any, sizes: tuple[int, int]) -> None:
    h, k = sizes
    random = np.random.default_rng(0)
    shapes = {"emb": (20, h), "w": (h, k), "b": (h,), "c": (k,)}
    p = P(**{n: random.standard_normal(s).astype(np.float32) for n, s in shapes.items()})
    fast = ab.compile(model, p, options=ab.Options(executor="vm"))
    alone = {x: np.asarray(fast([x])[0]).tobytes() for x in (3, 4)}
    for n in (2, 7, 8, 9, 15, 16, 17, 33, 64, 100):
        batch = [3 + (i % 5 == 2) for i in range(n)]
        found = [np.asarray(result).tobytes() for result in fast(batch)]
        assert found == [alone[x] for x in batch]
