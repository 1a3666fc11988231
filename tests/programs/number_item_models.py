"""Models with lists and dicts of numbers among which tensors of rank 0 are stored later."""

# Models as they are written in a hurry.
# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@ab.model
def repeated(p: P, xs: list[int]) -> Any:
    scores = [0.0] * len(xs)
    for i, x in enumerate(xs):
        if x > 1:
            scores[i] = p.emb[x] @ p.b
    return scores


@ab.model
def appended(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        if x > 3:
            out.append(1.5)
        else:
            out.append(p.emb[x].sum())
    return out


@ab.model
def added(p: P, xs: list[int]) -> Any:
    totals = [0.0, 1.0, 0.0]
    for x in xs:
        totals[x % 3] += np.tanh(p.emb[x] @ p.b)
    return totals, max(totals)


@ab.model
def keyed(p: P, xs: list[int]) -> Any:
    best = dict.fromkeys(xs, 0.0)
    for x in xs:
        best[x] = best[x] + p.emb[x].max()
    return best


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    table = [[0.0] * 3 for _ in xs]
    for i, x in enumerate(xs):
        for j in range(3):
            before = table[i - 1][j] if i > 0 else 0.0
            table[i][j] = before + p.emb[x][j]
    return table


MODELS = [repeated, appended, added, keyed, nested]
