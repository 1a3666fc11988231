"""Models with a number that becomes a tensor where an iteration is left; and formatted tensors."""

# Models as they are written in a hurry.
# ruff: noqa: UP031
# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@ab.model
def with_break(p: P, xs: list[int]) -> Any:
    total, x = 0.0, 1.0
    for i in range(xs[0]):
        if i == 2:
            total = x
            break
        x = p.b @ p.b
    return total


@ab.model
def with_continue(p: P, xs: list[int]) -> Any:
    logp = 0.0
    for x in xs:
        if x == 2:
            logp += np.log(p.b @ p.b)
            continue
        logp += 0.5
    return logp


@ab.model
def with_a_number_too(p: P, xs: list[int]) -> Any:
    total = 0.0
    for x in xs:
        if x > 4:
            total = p.emb[x].sum()
            break
        if x == 0:
            total = 3.0
    return total, [total, 1.0]


@ab.model
def in_a_while(p: P, xs: list[int]) -> Any:
    ponder, n = 0.0, 0
    while n < len(xs):
        h = p.emb[xs[n]] @ p.b
        if h > 0.5:
            ponder += h
            break
        n += 1
    return ponder * 2, n


@ab.model
def in_text(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return f"{h.sum():.2f} and {h @ p.b:8.1e}", "%.1f" % h.max()


MODELS = [with_break, with_continue, with_a_number_too, in_a_while, in_text]
