"""Models whose functions change arrays that they are given, and local functions those around."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type, index"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def fill(m, i, row):
    m[i] = row


def add_to(x: Float32[Tensor, "H"], y):
    x += y


def filled_sum(m: np.ndarray, i, row):
    m[i] = row
    return m.sum()


def fill_down(m, i, row):
    fill(m, i, row * 2)
    if i > 0:
        fill_down(m, i - 1, row)


@ab.model
def given_to_functions(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    fill(m, xs[0] % 4, p.b)
    fill(m, 0, m[1] * 1.0)
    x = p.b * 1.0
    add_to(x, p.emb[xs[0]])
    add_to(x, x * 2)
    first = filled_sum(m, 1, x)
    both = (m[0] * 1.0).sum() + filled_sum(m, 2, p.b) + m.sum()
    copy = m * 1.0
    fill_down(copy, 2, x)
    return m, x, first, both, copy


@ab.model
def in_local_functions(p: P, xs: list[int]) -> Any:
    x = np.zeros(4, dtype=np.float32)

    def bump(i):
        x[i] += 1.0
        return i

    def walk(k):
        if k <= 0:
            return 0.0
        x[k % 4] += 0.5
        return x.sum() + walk(k - 1)

    for v in xs:
        bump(v % 4)
    y = x * 2
    places = [bump(v % 4) for v in xs]
    return x, y, places, walk(len(xs))


def filled(m, i, row):
    m[i] = row
    return m, m.sum()


def keep(m, out, i):
    m[i] = 1.0
    out.append(m)


@ab.model
def given_with_another_name(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    y = m
    fill(m, 0, p.b)
    return y


@ab.model
def given_with_a_view(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    y = m[0]
    fill(m, 0, p.b)
    return y


def read_after_a_change(m, row):
    m[1] = 0.0
    return row.sum()


@ab.model
def view_as_another_argument(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    return read_after_a_change(m, m[1]), m


@ab.model
def given_and_returned(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    a, b = filled(m, 0, p.b)
    fill(m, 1, p.b)
    return a, b


@ab.model
def given_and_kept(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    out: list[Any] = []
    keep(m, out, 0)
    keep(m, out, 1)
    return out


@ab.model
def given_ints(p: P, xs: list[int]) -> Any:
    x = (p.b > 0.5) * 2
    fill(x, 0, 0.5)
    return x


@ab.model
def read_before_a_local_function(p: P, xs: list[int]) -> Any:
    x = np.zeros(4, dtype=np.float32)

    def bump():
        nonlocal x
        x += 1.0
        return 1.0

    z = x + bump()
    return x, z


@ab.model
def name_of_a_local_function(p: P, xs: list[int]) -> Any:
    x, hs = np.zeros(4, dtype=np.float32), []

    def step():
        nonlocal x
        x = np.tanh(x + 1)
        hs.append(x)

    step()
    step()
    x += 1
    return hs


ALONE = (given_to_functions, in_local_functions)
SHARED = (
    given_with_another_name,
    given_with_a_view,
    view_as_another_argument,
    given_and_returned,
    given_and_kept,
    given_ints,
    read_before_a_local_function,
    name_of_a_local_function,
)
