"""Models that change arrays in place which have other names: numpy changes them there, too."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type, index"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def second_name(p: P, xs: list[int]) -> Any:
    x = p.b * 1.0
    y = x
    x[0] = 1.0
    return y


@ab.model
def weights_change(p: P, xs: list[int]) -> Any:
    x = p.b
    x[0] = 1.0
    return x


@ab.model
def view_of_a_row(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    r = m[1]
    r += 1
    return m


@ab.model
def view_is_kept(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    r = m[1]
    m[1] = 0.0
    return r


@ab.model
def rows_of_a_loop(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    for r in m:
        r *= 2
    return m


@ab.model
def changes_during_a_loop(p: P, xs: list[int]) -> Any:
    m = p.w * 1.0
    s = 0.0
    for r in m:
        m[2, 0] += 1.0
        s += r[0]
    return s


@ab.model
def one_for_all_items(p: P, xs: list[int]) -> Any:
    z = np.zeros(4)
    fs = [z for _ in xs]
    fs[0] += 1
    return fs


@ab.model
def repeated_item(p: P, xs: list[int]) -> Any:
    fs = [np.zeros(4)] * 3
    fs[0] += 1
    return fs


@ab.model
def copied_list(p: P, xs: list[int]) -> Any:
    fs = [np.zeros(4) for _ in range(3)]
    g = list(fs)
    fs[0] += 1
    return g


@ab.model
def item_with_a_name(p: P, xs: list[int]) -> Any:
    fs = [np.zeros(4) for _ in range(3)]
    y = fs[1]
    fs[1] += 1
    return y


@ab.model
def appended_in_a_loop(p: P, xs: list[int]) -> Any:
    out, x = [], np.zeros(4)
    for i in xs:
        x[i % 4] = i
        out.append(x)
    return out


@ab.model
def result_of_a_local_function(p: P, xs: list[int]) -> Any:
    x = np.zeros(4)

    def get():
        return x

    y = get()
    x += 1
    return y


@ab.model
def ints(p: P, xs: list[int]) -> Any:
    x = (p.b > 0.5) * 2
    x[0] = 0.5
    return x


@ab.model
def swapped_rows(p: P, xs: list[int]) -> Any:
    m = p.w.copy()
    m[0], m[1] = m[1], m[0]
    return m


@ab.model
def transposed(p: P, xs: list[int]) -> Any:
    m = p.w.copy()
    t = m.T
    m[0, 1] = 3.0
    return ops.tanh(t)


@ab.model
def another_axis(p: P, xs: list[int]) -> Any:
    x = p.b * 1.0
    y = x[None]
    x += 1
    return y


@ab.model
def dropped_out(p: P, xs: list[int]) -> Any:
    x = p.b * 1.0
    y = ops.dropout(x, 0.5)
    x += 1
    return y


def itself(x):
    return x


@ab.model
def result_is_the_argument(p: P, xs: list[int]) -> Any:
    x = np.zeros(4)
    y = itself(x)
    x += 1
    return y


def maybe_weights(p, n):
    return p.b if n else p.b * 2


@ab.model
def result_is_a_weight(p: P, xs: list[int]) -> Any:
    h = maybe_weights(p, xs[0])
    h += 1
    return h


class Kept:
    def __init__(self, rows):
        self.rows = rows

    def write(self, i, row):
        self.rows[i] = row


@ab.model
def field_is_a_weight(p: P, xs: list[int]) -> Any:
    kept = Kept(p.w)
    kept.write(0, p.b)
    return kept.rows


class Counted:
    def __init__(self, b):
        self.x = (b > 0.5) * 2

    def set(self, v):
        self.x[0] = v


@ab.model
def field_of_ints(p: P, xs: list[int]) -> Any:
    c = Counted(p.b)
    c.set(0.5)
    return c.x


SHARED = (
    second_name,
    weights_change,
    view_of_a_row,
    view_is_kept,
    rows_of_a_loop,
    changes_during_a_loop,
    one_for_all_items,
    repeated_item,
    copied_list,
    item_with_a_name,
    appended_in_a_loop,
    result_of_a_local_function,
    ints,
    swapped_rows,
    transposed,
    another_axis,
    dropped_out,
    result_is_the_argument,
    result_is_a_weight,
    field_is_a_weight,
    field_of_ints,
)
