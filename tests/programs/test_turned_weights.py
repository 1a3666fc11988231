"""`W @ x` and products with transposes, as models for other systems have them: the weight is packed
once for all, like that of `x @ W`."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Options, Tensor, ops
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")


@ab.params
class Weights:
    w: Float32[Tensor, "N K"]
    square: Float32[Tensor, "K K"]
    column: Float32[Tensor, "K 1"]
    b: Float32[Tensor, "N"]


@ab.data
class Item:
    form: int
    x: Float32[Tensor, "K"]
    y: Float32[Tensor, "N"]
    m: Float32[Tensor, "3 K"]


@ab.model
def use(p: Weights, t: Item) -> Float32[Tensor, "N"]:
    if t.form == 0:
        return ops.tanh(p.w @ t.x + p.b)
    if t.form == 1:
        return t.x @ ops.transpose(p.w)
    if t.form == 2:
        return p.w @ (ops.transpose(p.w) @ t.y)
    if t.form == 3:
        # Both ways, and both at once.
        z = ops.tanh(t.x @ p.square + p.square @ t.x + p.square @ (t.x * 2.0))
        return p.w @ z
    if t.form == 4:
        return ops.sum(t.m @ ops.transpose(p.w), axis=0)
    if t.form == 5:
        # In other ways, too: read through references, or element by element.
        v = ops.transpose(p.square)
        return p.w @ (t.x @ (v + p.square) + v[1] + p.square @ t.x)
    if t.form == 6:
        return (ops.transpose(p.column) @ t.x)[0] * t.y
    if t.form == 7:
        return ops.sum(p.w[1:4] @ t.x) * t.y + p.w @ (t.x * t.x)
    h = t.x
    for _ in range(3):
        h = ops.relu(p.square @ h)
    return p.w @ h


WAYS = {
    "aot": Options(),
    "vm": Options(executor="vm"),
    "no fusion": Options(kernel_fusion=False),
    "all off": Options.all_off(),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", some(WAYS, always=lambda way: way != "no fusion"))
def test_results_are_those_of_plain_python(way: str) -> None:
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / 3).astype(np.float32)

    p = Weights(w=draw(5, 9), square=draw(9, 9), column=draw(9, 1), b=draw(5))
    items = [Item(n % 9, draw(9), draw(5), draw(3, 9)) for n in range(60)]
    fast = ab.compile(use, p, "cpu", WAYS[way])
    for batch in (items, items[:1]):
        for got, item in zip(fast(batch), batch, strict=True):
            np.testing.assert_allclose(got, use(p, item), rtol=1e-5, atol=1e-5)


@ab.model
def plain(p: Weights, t: Item) -> Float32[Tensor, "N"]:
    h = ops.tanh(p.square @ t.x)
    return p.w @ h + ops.tanh(h @ ops.transpose(p.square)) @ ops.transpose(p.w)


def test_they_are_shared() -> None:
    ones = {"w": (5, 9), "square": (9, 9), "column": (9, 1), "b": (5,)}
    p = Weights(**{name: np.ones(shape) for name, shape in ones.items()})
    batched = ab.compile(plain, p, "cpu", Options(executor="vm")).ir("batched")
    assert "shared w " in batched and "shared square " in batched
    assert "row of" not in batched and "per instance Tensor[9]" in batched
