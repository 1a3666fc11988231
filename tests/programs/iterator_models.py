"""Models with iterators: `it = iter(xs)`, `map(f, xs)`, `zip(xs, ys)`, `(f(x) for x in xs)`."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, RUF007, C417
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type, assignment"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def taken_and_the_rest(p: P, xs: list[int]) -> Any:
    it = filter(lambda x: x > 1, xs)
    a = 0
    for x in it:
        a += x
        if x == 3:
            break
    return a, list(it)


@ab.model
def first_and_rest(p: P, xs: list[int]) -> Any:
    it = map(lambda x: x + 1, xs)
    return next(it), list(it)


@ab.model
def taken_at_once(p: P, xs: list[int]) -> Any:
    return sum(map(lambda x: x + 1, xs)), max(filter(lambda x: x >= 0, xs)), sorted(map(str, xs))


@ab.model
def named_once(p: P, xs: list[int]) -> Any:
    words = map(lambda x: x * 2, xs)
    t = 0
    for w in words:
        t += w
    pairs = zip(xs, xs[1:])
    for a, b in pairs:
        t = t * 2 + a * b
    return t


@ab.model
def of_all_kinds(p: P, xs: list[int]) -> Any:
    n = 2
    out = []
    g = (x * n for x in xs if x > 0)
    for v in g:
        out.append(v)
    it = zip(xs, xs[1:])
    first = next(it, None)
    rest = list(it)
    it2 = iter(xs)
    head = next(it2)
    for a in it2:
        b = next(it2, -1)
        out.append(a * 10 + b)
    return out, first is None, rest, head


@ab.model
def made_in_each_iteration(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        it = map(lambda k: k + x, [1, 2])
        out.append(sum(it))
        it = filter(lambda k: k != x, xs)
        out.extend(it)
    return out


@ab.model
def in_a_comprehension(p: P, xs: list[int]) -> Any:
    it = map(lambda x: p.emb[x % 9], xs)
    hs = [ops.tanh(h) for h in it]
    return ops.tanh(sum(hs))


@ab.model
def in_loops(p: P, xs: list[int]) -> Any:
    n = 3
    total = 0
    for y in map(lambda i: n + i, xs):
        total = total * 3 + y
    for y in list(map(lambda i: n + i, xs)):
        n += y
    for y in map(lambda total: total + 1, xs):
        total += y
    for y in filter(None, xs):
        total += y
    for i, y in enumerate(map(str, xs)):
        total += i
    return total, n


MODELS = [
    taken_and_the_rest,
    first_and_rest,
    taken_at_once,
    named_once,
    of_all_kinds,
    made_in_each_iteration,
    in_a_comprehension,
    in_loops,
]
