"""Models with a number where another branch, or another item, is a tensor."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


@ab.model
def mean_or_zero(p: P, xs: list[int]) -> Any:
    hs = [p.emb[x] for x in xs if x > 3]
    h = np.tanh(p.b @ p.w + (np.mean(hs, axis=0) if hs else 0.0))
    return h, p.b * (h if len(xs) > 2 else 2), p.b - (0.5 if hs else h), h / (p.b if hs else -4.0)


@ab.model
def rows_of_a_matrix(p: P, xs: list[int]) -> Any:
    m = p.w + (p.emb[xs[0]] if len(xs) > 3 else 1.5)
    return m, p.w * (p.w if xs[0] > 1 else 0)


@ab.model
def in_a_loop(p: P, xs: list[int]) -> Any:
    h = ops.zeros_like(p.b)
    for x in xs:
        h = ops.tanh(h @ p.w + (p.emb[x] if x > 2 else 0.25))
    return h


@ab.model
def items(p: P, xs: list[int]) -> Any:
    n = float(len(xs))
    d = {"half": 0.5, "sum": ops.sum(p.b), "n": n}
    return sum([p.b.sum(), 1.5, n]), d["half"] * d["sum"], d, [0.25, p.b.max()]


MODELS = (mean_or_zero, rows_of_a_matrix, in_a_loop, items)
