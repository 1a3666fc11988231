"""Models that use what may be missing: values that may be None, names that no loop may assign."""

# Models as they are written in a hurry.
# ruff: noqa: B007
# mypy: disable-error-code="operator, index, arg-type, union-attr, misc, assignment, return-value"

from __future__ import annotations

from typing import Any, Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.data
class N:
    word: Optional[int] = None  # noqa: UP045
    x: Optional[float] = None  # noqa: UP045
    v: Float32[Tensor, "H"] | None = None
    name: str | None = None
    xs: list[int] | None = None


@ab.model
def plus(p: P, n: N) -> Any:
    return n.word + 1, 2 - n.word


@ab.model
def scaled(p: P, n: N) -> Any:
    return p.b * n.x


@ab.model
def less(p: P, n: N) -> Any:
    return n.word < 3


@ab.model
def negative(p: P, n: N) -> Any:
    return -n.x


@ab.model
def product(p: P, n: N) -> Any:
    return ops.tanh(n.v @ p.w) + n.v.sum() * n.v[0]


@ab.model
def loop(p: P, n: N) -> Any:
    h = p.b
    for w in n.xs:
        h = h + p.emb[w]
    return h, len(n.xs), n.xs[0], sum(n.xs), 2 in n.xs


@ab.model
def counted(p: P, n: N) -> Any:
    h = p.b
    for _ in range(n.word):
        h = h + p.b
    return h, float(n.word)


@ab.model
def text(p: P, n: N) -> Any:
    return n.name.upper(), "a" + n.name


@ab.model
def added(p: P, n: N) -> Any:
    total = 0
    total += n.word
    return total


def helper(p: P, k: int) -> Any:
    return p.b * float(k)


@ab.model
def argument(p: P, n: N) -> Any:
    return helper(p, n.word), n.word == 3


@ab.model
def best(p: P, n: N) -> Any:
    m = None
    for i in range(n.word):
        if m is None or i > m:
            m = i
    return p.emb[m]


OF_NONE = (plus, scaled, less, negative, product, loop, counted, text, added, best)


@ab.model
def fixed_point(p: P, xs: list[int]) -> Any:
    z = p.b
    for it in range(5):
        z = ops.tanh(z @ p.w)
        if float(z[0]) > 0.1:
            break
    return z, it


@ab.model
def last(p: P, xs: list[int]) -> Any:
    for i, x in enumerate(xs):
        h = p.emb[x]
    return h, i + x


@ab.model
def marked(p: P, xs: list[int]) -> Any:
    z = p.b
    for it in range(len(xs)):
        z = ops.tanh(z @ p.w)
        if float(z[0]) > 0.1:
            break
    else:
        it = -1
    return z, it


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    t = 0
    for x in xs:
        for y in range(x):
            z = y * x
        t += z
    return t, z


@ab.model
def found(p: P, xs: list[int]) -> Any:
    nodes = [N(x) for x in xs]
    for node in nodes:
        if node.word > 3:
            break
    return node.word


@ab.model
def doubled(p: P, xs: list[int]) -> Any:
    i = 0
    while i < len(xs):
        v = xs[i] * 2
        i += 1
        if v > 4:
            break
    return v


OF_LOOPS = (fixed_point, last, marked, nested, found, doubled)
