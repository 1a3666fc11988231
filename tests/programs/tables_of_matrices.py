"""A model that chooses matrices of tables in every form."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

K, H, M = 7, 46, 3


@ab.params
class Weights:
    table: Float32[Tensor, "K H H"]
    other: Float32[Tensor, "L H H"]
    bias: Float32[Tensor, "K H"]
    w: Float32[Tensor, "H H"]
    gate: Float32[Tensor, "H K"]


@ab.data
class Item:
    form: int
    k: int
    l: int  # noqa: E741
    x: Float32[Tensor, "H"]
    m: Float32[Tensor, "3 H"]
    steps: list[int]


@ab.model
def descend(p: Weights, h: Float32[Tensor, "H"], k: int, depth: int) -> Float32[Tensor, "H"]:
    if depth == 0:
        return h
    below = descend(p, ops.tanh(h @ p.table[k - depth]), k, depth - 1)
    return ops.tanh(below @ p.other[depth - 1] + h)


@ab.model
def use(p: Weights, t: Item) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "3 H"]]:
    h, m = t.x, t.m
    if t.form == 0:
        h = ops.tanh(ops.linear(h, p.table[t.k], p.bias[t.k]))
    elif t.form == 1:
        for s in t.steps:
            h = ops.tanh(h @ p.table[s] + h @ p.w)
    elif t.form == 2:
        # Two tables by different numbers in one block, a chain of two, and the table itself.
        y = ops.tanh(h @ p.table[t.k] + t.x @ p.other[t.l])
        h = ops.tanh(y @ p.table[t.k] * 0.5 + p.table[t.k][1])
    elif t.form == 3:
        # As their authors write them elsewhere: a matrix times a column.
        y = ops.relu(p.table[t.k] @ h + p.bias[t.k])
        h = h + p.other[t.l] @ y + ops.transpose(p.table[t.k]) @ y
    elif t.form == 4:
        m = ops.tanh(m @ p.table[t.k] + m @ ops.transpose(p.other[t.l]))
    elif t.form == 5:
        for _ in range(2):
            k = ops.argmax(h @ p.gate)
            h = ops.tanh(ops.linear(h, p.table[k], p.bias[k - 7]))
    elif t.form == 6:
        h = descend(p, h, t.k, t.l + 2)
    elif t.form == 7:
        h = h[0:8] @ p.table[t.k][2:10] + ops.sum(h[0:5] @ p.table[t.k][0:5][:, 3:20]) * h
        m = (m @ p.table[t.k]) @ p.other[t.l]
    elif t.form == 8:
        m = p.table[t.k][0:3] @ p.table[t.k]
    elif t.form == 9:
        w = p.table[t.k]
        for s in t.steps:
            h = ops.tanh(h @ w) + p.bias[s]
    elif t.form == 10:
        parts = [ops.tanh(h @ p.table[s]) for s in t.steps]
        for part in parts:
            h = h + part
    return h, m


def weights(size: int = K) -> Weights:
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / 6).astype(np.float32)

    return Weights(
        table=draw(size, H, H), other=draw(4, H, H), bias=draw(size, H), w=draw(H, H),
        gate=draw(H, size),
    )  # fmt: skip


def instances(count: int, seed: int = 0, forms: int = 11) -> list[Item]:
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    return [
        Item(
            form=n % forms,
            k=int(rng.integers(-K, K)) if n % forms != 6 else int(rng.integers(0, K)),
            l=int(rng.integers(-2, 2)),
            x=draw(H),
            m=draw(M, H),
            steps=[int(s) for s in rng.integers(-K, K, rng.integers(0, 5))],
        )
        for n in range(count)
    ]
