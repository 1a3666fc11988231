"""The data and weights of the models that use every construct (`constructs.py`)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

import acrobat as ab
from acrobat import Tensor

LIMIT = 3


SCALE = 0.5


@ab.data
class Leaf:
    word: int
    x: Tensor["H"]


@ab.data
class Node:
    left: "Tree"
    right: "Tree"
    flag: bool


Tree = Leaf | Node


@ab.data
class Chain:
    n: int
    weight: float
    trees: list[Tree]
    next: Optional["Chain"]  # noqa: UP045


@ab.params
class Cell:
    w: Tensor["2H", "H"]
    b: Tensor["H"]


@ab.params
class P:
    emb: Tensor["V", "H"]
    square: Tensor["H", "H"]
    table: Tensor["V", "H", "H"]
    g: Tensor["H"]
    b: Tensor["H"]
    two: Tensor["H", 2]
    first: Cell
    second: Cell


def make_params() -> P:
    """Small weights: H = 4, V = 9."""
    rng = np.random.default_rng(0)

    def weight(*shape: int) -> Any:
        return rng.normal(0, 0.6, shape).astype(np.float32)

    cells = [Cell(w=weight(8, 4), b=weight(4)) for _ in range(2)]
    return P(
        emb=weight(9, 4),
        square=weight(4, 4),
        table=weight(9, 4, 4),
        g=weight(4),
        b=weight(4),
        two=weight(4, 2),
        first=cells[0],
        second=cells[1],
    )


def make_tree(rng: np.random.Generator, depth: int) -> Tree:
    """A random tree of at most `depth` levels."""
    if depth == 0 or rng.random() < 0.3:
        return Leaf(int(rng.integers(9)), rng.normal(0, 1, 4).astype(np.float32))
    return Node(make_tree(rng, depth - 1), make_tree(rng, depth - 1), bool(rng.random() < 0.5))


def make_chain(rng: np.random.Generator, length: int) -> Chain | None:
    """A random chain of `length`, None for 0."""
    after = make_chain(rng, length - 1) if length else None
    if not length:
        return None
    trees = [make_tree(rng, 3) for _ in range(rng.integers(0, 5))]
    return Chain(int(rng.integers(0, 13)), float(rng.uniform(-1, 2)), trees, after)
