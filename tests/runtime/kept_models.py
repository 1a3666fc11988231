"""Models at the top level of a module, for tests that pickle them or load them in other
processes."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

Vector = Float32[Tensor, "H"]


@ab.params
class Weights:
    w: Float32[Tensor, "H H"]


@ab.data
class Leaf:
    x: Vector


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


@ab.model
def encode(p: Weights, tree: Leaf | Node) -> Vector:
    match tree:
        case Leaf(x):
            return ops.tanh(x @ p.w)
        case Node(left, right):
            return ops.tanh((encode(p, left) + encode(p, right)) @ p.w)


@ab.model
def step(p: Weights, x: Vector, *, times: int) -> Vector:
    i = 0
    while i < times:
        x = ops.tanh(x @ p.w)
        if ops.item(ops.sum(x)) > 1000.0:
            return x
        i = i + 1
    return x


@ab.model
def count(p: Weights, n: int) -> int:
    """Without an end, unless it begins below 0."""
    while n >= 0:
        n = (n + 1) % 1000
    return n


def weights(size: int = 8) -> Weights:
    """Random weights, always the same."""
    return Weights(w=np.random.default_rng(0).normal(size=(size, size)) * 0.3)


def trees(n: int, depth: int = 2, size: int = 8) -> list[Leaf | Node]:
    """Complete trees with random leaves, always the same."""
    draw = np.random.default_rng(1)

    def make(depth: int) -> Leaf | Node:
        if depth == 0:
            return Leaf(draw.normal(size=size).astype(np.float32))
        return Node(make(depth - 1), make(depth - 1))

    return [make(depth) for _ in range(n)]
