"""The idioms of docs/language.md, as type checkers see them (test_type_checkers.py)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import acrobat as ab
from acrobat import Float32, Tensor, ops

Vector = Float32[Tensor, "H"]


@ab.data
class Leaf:
    word: int
    x: Vector


@ab.data
class Node:
    left: Tree
    right: Tree
    more: list[Tree]
    scale: float
    last: bool


Tree = Leaf | Node


@ab.data
class Chain:
    x: Annotated[Tensor, "H"]
    rows: Float32[Tensor, "4 H"]
    next: Chain | None


@ab.params
class Cell:
    w: Float32[Tensor, "2H H"]
    b: Vector


@ab.params
class Weights:
    cell: Cell
    emb: Float32[Tensor, "V H"]
    out: Float32[Tensor, "H 2"]
    matrices: Float32[Tensor, "V H H"]


@ab.model
def both(p: Cell, a: Vector, b: Vector) -> Vector:
    return ops.tanh(ops.linear(ops.concat(a, b), p.w, p.b))


@ab.model
def encode(p: Weights, tree: Tree) -> tuple[Vector, int]:
    match tree:
        case Leaf(word, x):
            return row(p, word) * x, 1
        case Node(left, right, more, scale):
            (a, n), (b, m) = ab.parallel(encode(p, left), encode(p, right))
            h = both(p.cell, a, b) * scale
            for t in more:
                x, k = encode(p, t)
                h = h + x / 2.0
                n += k
            return -h if tree.last else h, n + m


@ab.model
def row(p: Weights, word: int) -> Vector:
    return p.emb[word]


@ab.model
def last(p: Weights, chain: Chain | None, h: Vector) -> Vector:
    if chain is None:
        return h
    return last(p, chain.next, both(p.cell, h, chain.x) + ops.sum(chain.rows, 0))


@ab.model
def entry(
    p: Weights, trees: list[Tree], chain: Chain | None, limit: float
) -> tuple[list[Vector], int]:
    hs = [encode(p, t)[0] for t in trees]
    hs.append(last(p, chain, ops.zeros(p.cell.b.shape[0])))
    g = hs[0] + p.cell.b
    for x in hs[1:]:
        g = both(p.cell, g, x)
    hs.append(1 - g)
    steps = 0
    h = hs[0]
    while steps < 3 and ops.item(ops.max(h)) < limit:
        h = h @ p.matrices[steps] + 1.0
        steps += 1
    ab.phase()
    logits = ops.softmax(h @ p.out)
    for i, x in enumerate(reversed(hs)):
        hs = [*hs, x * float(i)]
    return hs[1:], ops.argmax(logits) + len(hs)


def weights() -> Weights:
    """Arrays of any floating type, as numpy makes them."""
    rng = np.random.default_rng(0)
    return Weights(
        cell=Cell(w=rng.normal(size=(8, 4)), b=np.zeros(4, np.float32)),
        emb=rng.standard_normal((9, 4), dtype=np.float32) / 2,
        out=np.ones((4, 2)),
        matrices=rng.normal(size=(9, 4, 4)),
    )


def use(x: NDArray[np.float32], rows: NDArray[np.float32]) -> int:
    """What `ab.compile` returns knows its instances and its results."""
    fast = ab.compile(entry, weights(), target="cpu", options=ab.Options(threads=1))
    inputs = fast.prepare([([Leaf(1, x)], Chain(x, rows, None), 0.5), ([Leaf(2, x)], None, 0.1)])
    fast.run(inputs)
    total = fast.last_profile.n_nodes + fast.count_least_batches(inputs)
    results: list[tuple[list[Tensor], int]] = fast([([Leaf(1, x)], None, 0.5)])
    vectors, label = results[0]
    one: tuple[list[Tensor], int] = entry(weights(), [Leaf(1, x)], None, 0.5)
    return total + label + len(one[0]) + int(vectors[0].argmax()) + int(np.linalg.norm(vectors[0]))
