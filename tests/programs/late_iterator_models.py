"""Models whose iterators compute items from what has changed meanwhile, or have two uses."""

# Models as they are written in a hurry.
# ruff: noqa: C416, RUF005, B007, B023, B905, C417
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

import functools
import itertools
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def lazy_map2(p: P, xs: list[int]) -> Any:
    ys = [x for x in xs] + [1, 2, 3]
    total = 0
    for y in map(lambda i: ys[i], [0, 1, 1, 0]):
        ys[0] += 2
        ys[1] += 3
        total = total * 3 + y
    return ys, total


@ab.model
def lazy_filter(p: P, xs: list[int]) -> Any:
    ys = [x for x in xs] + [1, 2, 3]
    out = []
    for y in filter(lambda i: ys[i] > 2, [0, 1, 1, 0]):
        ys[0] += 2
        ys[1] += 3
        out.append(y)
    return ys, out


@ab.model
def lazy_gen(p: P, xs: list[int]) -> Any:
    ys = [x for x in xs] + [1, 2, 3]
    total = 0
    for y in (ys[i] for i in [0, 1, 1, 0]):
        ys[0] += 2
        ys[1] += 3
        total = total * 3 + y
    return ys, total


@ab.model
def lazy_gen2(p: P, xs: list[int]) -> Any:
    n = 0
    total = 0
    for y in (n + i for i in [0, 1, 1, 0]):
        n += 5
        total = total * 3 + y
    return total


@ab.model
def lazy_zip(p: P, xs: list[int]) -> Any:
    n = 0
    total = 0
    for x, y in zip(xs, map(lambda i: n + i, xs)):
        n += 5
        total = total * 3 + y + x
    return total


@ab.model
def lazy_enum(p: P, xs: list[int]) -> Any:
    n = 0
    total = 0
    for x, y in enumerate(n + i for i in xs):
        n += 5
        total = total * 3 + y + x
    return total


@ab.model
def lazy_closure(p: P, xs: list[int]) -> Any:
    n = 0

    def g(i):
        return n + i

    total = 0
    for y in map(g, xs):
        n += 5
        total = total * 3 + y
    return total


@ab.model
def lazy_takewhile(p: P, xs: list[int]) -> Any:
    n = 0
    total = 0
    for y in itertools.takewhile(lambda i: i > n, xs + [9, 10, 30]):
        n += 5
        total = total * 3 + y
    return total


@ab.model
def part(p: P, xs: list[int]) -> Any:
    ys = [1, 2, 3]
    t = 0

    def g(a, i):
        return a[i % 3]

    for y in map(functools.partial(g, ys), xs):
        ys[0] += 1
        t = t * 2 + y
    return t


@ab.model
def append_map(p: P, xs: list[int]) -> Any:
    ys = [1, 2, 3]
    t = 0
    for y in map(lambda a: a + 1, ys):
        if len(ys) < 7:
            ys.append(y)
        t += y
    return t


@ab.model
def named(p: P, xs: list[int]) -> Any:
    n = 3
    it = map(lambda i: n + i, xs)
    n += 1
    t = 0
    for y in it:
        t += y
    return t


@ab.model
def named2(p: P, xs: list[int]) -> Any:
    n = 3
    it = iter(map(lambda i: n + i, xs))
    n += 1
    return next(it)


@ab.model
def named3(p: P, xs: list[int]) -> Any:
    n = 3
    it = filter(lambda i: i > n, xs)
    n -= 2
    return list(it)


@ab.model
def twice_map(p: P, xs: list[int]) -> Any:
    it = map(lambda x: x + 1, xs)
    return list(it), list(it)


@ab.model
def twice_zip(p: P, xs: list[int]) -> Any:
    it = zip(xs, xs)
    return list(it), list(it)


@ab.model
def gen(p: P, xs: list[int]) -> Any:
    it = (x + 1 for x in xs)
    return list(it), list(it)


@ab.model
def helper(p: P, xs: list[int]) -> Any:
    def total(it):
        return sum(it) + sum(it)

    return total(map(lambda x: x + 1, xs))


@ab.model
def after_loop_changes(p: P, xs: list[int]) -> Any:
    ys = [1, 2, 3]
    it = iter(ys)
    t = 0
    while t < 20:
        y = next(it, None)
        if y is None:
            break
        t += y
        if len(ys) < 6:
            ys.append(y)
    return t


@ab.model
def outer(p: P, xs: list[int]) -> Any:
    it = iter(xs)
    out = []
    for k in range(3):
        out.append(list(it))
    return out


@ab.model
def comp2(p: P, xs: list[int]) -> Any:
    it = map(lambda x: x + 1, xs)
    return [(a, b) for a in xs for b in it]


REFUSED = [
    lazy_map2,
    lazy_filter,
    lazy_gen,
    lazy_gen2,
    lazy_zip,
    lazy_enum,
    lazy_closure,
    lazy_takewhile,
    part,
    append_map,
    named,
    named2,
    named3,
    twice_map,
    twice_zip,
    gen,
    helper,
    after_loop_changes,
    outer,
    comp2,
]
