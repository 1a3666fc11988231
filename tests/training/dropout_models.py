"""Models that drop out, in all ways in which a program may count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.lang.model import Model


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]
    u: Float32[Tensor, "2H H"]
    rate: float = 0.25


@ab.model
def straight(p: P, words: list[int]) -> Float32[Tensor, ""]:
    x = ops.dropout(p.emb[len(words)], 0.5)
    y = ops.dropout(ops.tanh(x @ p.w), p.rate)
    return (y * ops.dropout(p.emb[0], 0.5)).sum() + ops.dropout(y.sum(), 0.5)


@ab.model
def encode(p: P, tree: Leaf | Node) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            return ops.dropout(p.emb[word], 0.5)
        case Node(left, right):
            both = ops.concat(encode(p, left), encode(p, right))
            return ops.dropout(ops.tanh(both @ p.u), p.rate)


@ab.model
def recursive(p: P, tree: Leaf | Node) -> Float32[Tensor, ""]:
    a, b = ab.parallel(encode(p, tree), encode(p, Leaf(2)))
    return (a * ops.dropout(b, 0.5)).sum()


@ab.model
def row(p: P, word: int) -> Float32[Tensor, "H"]:
    return ops.tanh(p.emb[word] @ p.w)


@ab.model
def loops(p: P, words: list[int]) -> Float32[Tensor, ""]:
    h = ops.zeros(p.w.shape[0])
    for i in range(len(words), 1, -2):
        x = ops.dropout(row(p, words[i - 1]), 0.5)
        for _ in range(i):
            h = ops.dropout(ops.tanh(h + x), 0.2)
    kept = [ops.dropout(row(p, w), 0.5) * ops.dropout(p.emb[w], 0.5) for w in words]
    for k in kept:
        h = h + k
    return ops.dropout(h, 0.5).sum()


@ab.model
def uneven(p: P, words: list[int]) -> Float32[Tensor, ""]:
    """Paths that count differently."""
    h = ops.zeros(p.w.shape[0])
    for w in words:
        if w == 3:
            continue
        if w > 1:
            h = ops.tanh(h + ops.dropout(row(p, w), 0.5))
        elif w == 0:
            break
        h = ops.dropout(h, 0.1)
    some = [ops.dropout(row(p, w), 0.5) if w > 1 else p.emb[w] for w in words]
    others = [ops.dropout(row(p, w), 0.5) for w in words if w % 2 == 0]
    for x in some + others:
        h = h + x
    n = 0
    while n < 9 and ops.dropout(row(p, n % 4), 0.5)[0] < 0.6:
        n += 1 if ops.item(ops.dropout(row(p, n % 4), 0.5)[0]) > 0 else 2
        h = h + ops.dropout(row(p, n % 3), 0.5)
    return ops.dropout(h, 0.5).sum()


def twice(p: P, x: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return ops.dropout(ops.tanh(ops.dropout(x, 0.5) @ p.w), 0.5)


def sometimes(p: P, x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, "H"]:
    if n > 2:
        return ops.dropout(x, 0.5)
    for i in range(n):
        x = ops.dropout(x, 0.2)
        if i > 0:
            return x
    return x


def down(p: P, x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, "H"]:
    return x if n == 0 else ops.dropout(down(p, ops.tanh(x @ p.w), n - 1), 0.3)


@ab.model
def helpers(p: P, words: list[int]) -> Float32[Tensor, ""]:
    """What has no `@ab.model` counts on where it is called."""
    drop = lambda x: ops.dropout(x, 0.5)  # noqa: E731
    rows = [twice(p, row(p, w)) for w in words]
    more = [sometimes(p, row(p, w), w) for w in words]
    h = drop(ops.zeros(p.w.shape[0]) + 1.0) + down(p, p.emb[1], len(words))  # type: ignore[no-untyped-call]
    for a, b in zip(rows, more, strict=False):
        h = ops.tanh(h + drop(a) + sometimes(p, b, 1))  # type: ignore[no-untyped-call]
    a, b = ab.parallel(sometimes(p, h, 3), down(p, h, 2))
    return (ops.dropout(a, 0.5) + b).sum()


class Both(NamedTuple):
    loss: Float32[Tensor, ""]
    rows: list[Float32[Tensor, "H"]]


@ab.model
def matrices(p: P, words: list[int], times: int) -> Both:
    m = ops.dropout(p.u, 0.5)
    for _ in range(times):
        m = ops.dropout(m * 1.5, 0.5)
    return Both(ops.sum(m @ p.w), [ops.dropout(p.emb[w], 0.5) for w in words])


@ab.model
def pairs(p: P, words: tuple[int, list[int]]) -> Float32[Tensor, ""]:
    """Of one parameter that is a tuple."""
    first, others = words
    h = ops.dropout(row(p, first), 0.5)
    for w in others:
        h = h + ops.dropout(row(p, w), 0.5)
    return h.sum()


@ab.model
def nested(p: P, words: tuple[int, int], times: int) -> Float32[Tensor, ""]:
    return (ops.dropout(row(p, words[0]), 0.5) * ops.dropout(row(p, words[1]), 0.2) * times).sum()


LISTS = [[1, 2, 3, 4], [], [2], [5, 0, 2, 2, 1, 4]]
TREES: list[Any] = [
    Node(Node(Leaf(1), Leaf(2)), Leaf(3)),
    Leaf(1),
    Node(Leaf(1), Node(Leaf(1), Node(Leaf(4), Leaf(4)))),
]
# Models with their instances.
CASES: list[tuple[Model[..., Any], list[Any]]] = [
    (straight, LISTS),
    (recursive, TREES),
    (loops, LISTS),
    (uneven, LISTS),
    (helpers, LISTS),
    (matrices, [([1, 2], 0), ([3], 2), ([], 1)]),
    (pairs, [(1, [2, 3]), (2, []), (3, [1])]),
    (nested, [((1, 2), 2), ((3, 0), 1)]),
]


def weights() -> P:
    """Seeded."""
    rng = np.random.default_rng(0)
    return P(
        emb=rng.normal(size=(8, 6)), w=rng.normal(size=(6, 6)) / 2, u=rng.normal(size=(12, 6)) / 3
    )
