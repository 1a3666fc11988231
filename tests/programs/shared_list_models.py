"""Models whose local functions change a list that has two names: they are refused."""

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
def given_and_captured(p: P, xs: list[int]) -> Any:
    out = []

    def f(acc, x):
        acc.append(x)
        return len(out)

    return f(out, 1), f(out, 2), out


@ab.model
def by_another_name(p: P, xs: list[int]) -> Any:
    out = [0]
    other = out

    def f(x):
        out.append(x)
        return len(other)

    return f(1), out, other


@ab.model
def an_item_by_another_name(p: P, xs: list[int]) -> Any:
    out = [[]]
    row = out[0]

    def f(x):
        out[0].append(x)
        return len(row)

    return f(1), f(2), out


@ab.model
def results_that_change_later(p: P, xs: list[int]) -> Any:
    out = []

    def f(x):
        out.append(x)
        return out

    a = f(1)
    b = f(2)
    return a, b, out


@ab.model
def results_that_hold_it(p: P, xs: list[int]) -> Any:
    out = []

    def f(x):
        out.append(x)
        return x, out

    _, a = f(1)
    f(2)
    return a, out


# One list has two names, under both of which it would change.
SHARED = (
    given_and_captured, by_another_name, an_item_by_another_name, results_that_change_later,
    results_that_hold_it,
)  # fmt: skip
