"""Models with calls that change variables anywhere in an expression."""

# Models as they are written in a hurry.
# ruff: noqa: RUF021
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def numbers_in_order(p: P, xs: list[int]) -> Any:
    n = 1

    def bump(k):
        nonlocal n
        n = n * 2 + k
        return n

    a = n + bump(3) * n - bump(n) + n
    n += bump(1)
    return a, [n, bump(n), n, bump(2)], n


@ab.model
def lists_in_order(p: P, xs: list[int]) -> Any:
    out = []

    def push(k):
        out.append(k)
        return len(out)

    a = len(out) + push(5) * len(out) + sum(out) + push(len(out)) + out[-1]
    out.append(push(7) + len(out))
    if push(1) > 2 and push(2) > 3 or push(9) > 100:
        out.append(77)
    while push(4) < 9:
        out.append(8)
        if len(out) == 7:
            continue
        out.append(9)
    return a, out


@ab.model
def dicts_in_order(p: P, xs: list[int]) -> Any:
    d = {}

    def put(k, v):
        d[k] = d.get(k, 0) + v
        return d[k]

    for x in xs:
        put(x % 3, x)
    d[1] = put(1, 4) + put(1, 5) * d[1]
    d[2] = 1
    d[2] += put(2, 10)
    d[put(0, 1) % 4] = 3
    z = [put(x, 1) for x in xs if put(x + 1, 2) > 2]
    y = {put(x, 1): put(x, 2) for x in xs}
    return d, z, y


@ab.model
def on_one_path(p: P, xs: list[int]) -> Any:
    seen = []

    def look(k):
        seen.append(k)
        return k % 2 == 0

    a = any(look(x) for x in xs)
    b = all(look(x) for x in xs)
    c = look(3) or look(4) or look(5)
    e = look(6) and look(7) and look(8)
    f = 1 if look(9) else 2 if look(10) else 3
    return a, b, c, e, f, seen


MODELS = (numbers_in_order, lists_in_order, dicts_in_order, on_one_path)
