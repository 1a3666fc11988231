"""Models with arguments that change something, each of them once."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: UP031

from __future__ import annotations

import math
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


class Tally:
    def __init__(self):
        self.n = 0

    def value(self, p: P):
        self.n += 1
        return p.b @ p.b


def visit(p: P, t: Tally):
    t.n += 1
    return p.b @ p.emb[t.n]


@ab.model
def numbers(p: P, xs: list[int]) -> Any:
    ys = [*xs, 3, 1, 2, 2]
    out = float(ys.pop()), int(ys.pop() > 2), abs(ys.pop()), round(float(ys.pop()), 2)
    return out, ys, "%d" % len(ys)


@ab.model
def tensors(p: P, xs: list[int]) -> Any:
    hs = [p.emb[x] for x in xs] + [p.emb[k] for k in range(9)]
    a = max(0.0, hs.pop().sum())
    b = min(hs.pop().sum(), 1.0, hs.pop().max())
    c = np.where(hs.pop() > 0, hs.pop(), 0)
    d = np.dot(hs.pop(), hs.pop()), np.outer(hs.pop(), p.b), ops.argmax(hs.pop())
    return a, b, c, d, len(hs)


@ab.model
def parts(p: P, xs: list[int]) -> Any:
    ys = [0, 1, 2, 1, 0, 1]
    lists = [xs, [4, 5, 6], [7, 8, 9]]
    found = sorted(lists.pop())[ys.pop()], lists[-1][min(ys.pop(), 1)], p.emb[ys.pop()][ys.pop()]
    more = list(lists.pop()), ys.pop() in lists.pop()
    return found, more, ys


@ab.model
def of_objects(p: P, xs: list[int]) -> Any:
    t = Tally()
    found = [float(visit(p, t)), max(0.0, t.value(p)), math.exp(float(t.value(p)))]
    return found, t.n, round(float(visit(p, t)), 3), t.n


@ab.model
def in_order(p: P, xs: list[int]) -> Any:
    ys = [*xs, 5, 4]
    n = 2
    first = max(len(ys), ys.pop()), min(n, (n := n + 3)), max(ys[-1], ys.pop(), ys[-1])
    text = f"{ys.pop():03d} {len(ys)}"
    return first, n, text, ys


MODELS = [numbers, tensors, parts, of_objects, in_order]
