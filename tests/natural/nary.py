"""Trees with any number of children, read one after the other; the root is classified."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.data
class Tree:
    word: int
    children: list[Tree]


@ab.params
class Weights:
    emb: Float32[Tensor, "50 H"]
    w_child: Float32[Tensor, "2H H"]
    b_child: Float32[Tensor, "H"]
    w_gate: Float32[Tensor, "2H H"]
    w_up: Float32[Tensor, "2H H"]
    b_up: Float32[Tensor, "H"]
    out: Float32[Tensor, "H 5"]


@ab.model
def encode(p: Weights, t: Tree) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.b_up.shape[0])
    for child in t.children:
        x = ops.concat(encode(p, child), h)
        gate = ops.sigmoid(x @ p.w_gate)
        h = gate * h + (1.0 - gate) * ops.tanh(ops.linear(x, p.w_child, p.b_child))
    return ops.tanh(ops.linear(ops.concat(p.emb[t.word], h), p.w_up, p.b_up))


@ab.model
def classify(p: Weights, t: Tree) -> Float32[Tensor, "5"]:
    return ops.softmax(encode(p, t) @ p.out)


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 50, h) * 5,
        w_child=draw(rng, 2 * h, h),
        b_child=draw(rng, h),
        w_gate=draw(rng, 2 * h, h),
        w_up=draw(rng, 2 * h, h),
        b_up=draw(rng, h),
        out=draw(rng, h, 5),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    def tree(size: int) -> Tree:
        children: list[Tree] = []
        left = size - 1
        while left > 0:
            part = int(rng.integers(1, left + 1))
            children.append(tree(part))
            left -= part
        return Tree(int(rng.integers(0, 50)), children)

    return [tree(int(rng.integers(5, 60))) for _ in range(n)]


NATURAL = Natural("n-ary trees", classify, weights, instances)
