"""Models with generators."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.data
class Tree:
    word: int
    kids: list[Tree]


def leaves(t: Tree) -> Iterator[Tree]:
    if not t.kids:
        yield t
    for k in t.kids:
        yield from leaves(k)


def windows(xs, n):
    for i in range(len(xs) - n + 1):
        yield xs[i : i + n]


def pairs(xs):
    for i, a in enumerate(xs):
        for b in xs[i + 1 :]:
            if a == b:
                return
            yield a, b


@ab.model
def of_the_module(p: P, xs: list[int]) -> Any:
    near = [sum(w) for w in windows(xs, 2)]
    return near, list(pairs(xs)), sum(a * b for a, b in pairs(xs)), dict(pairs(xs))


@ab.model
def local(p: P, xs: list[int]) -> Any:
    def odd():
        for x in xs:
            if x % 2:
                yield p.emb[x]

    h = p.b
    for v in odd():
        h = ops.tanh(h @ p.w + v)
    return h, len(list(odd()))


@ab.model
def recursive(p: P, xs: list[int]) -> Any:
    t = Tree(0, [Tree(x, [Tree(x + 1, [])] if x % 2 else []) for x in xs])
    found = [leaf.word for leaf in leaves(t)]
    for i, leaf in enumerate(leaves(t)):
        found.append(i * leaf.word)
    return found


MODELS = (of_the_module, local, recursive)
