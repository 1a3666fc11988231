"""Models whose results are objects of classes with fields whose hints are no complete types."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg, arg-type"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.listed_object_models import P


@dataclass
class Result:
    probs: np.ndarray
    ids: list
    best: int | None = None


@dataclass
class Outer:
    inner: Result
    more: list[Result]
    meta: dict


@dataclass
class Loose:
    a: Any
    b: Any


@ab.model
def alone(p: P, xs: list[int]) -> Result:
    return Result(ops.softmax(p.emb[xs[0]]), list(xs))


@ab.model
def nested(p: P, xs: list[int]) -> Outer:
    r = Result(ops.softmax(p.emb[xs[0]]), list(xs), 3)
    return Outer(r, [Result(p.w @ p.emb[x], [x], None) for x in xs], {"n": len(xs)})


@ab.model
def listed(p: P, xs: list[int]) -> list[Result]:
    def make(x: int) -> Result:
        return Result(probs=p.emb[x], ids=[x])

    return [make(x) for x in xs]


@ab.model
def missing(p: P, xs: list[int]) -> Result | None:
    if len(xs) > 2:
        return None
    return Result(probs=p.emb[xs[0]], ids=xs)


@ab.model
def matrices(p: P, xs: list[int]) -> tuple[Result, Float32[Tensor, "H"]]:
    return Result(probs=np.stack([p.emb[x] for x in xs]), ids=xs), p.b


@ab.model
def anything(p: P, xs: list[int]) -> Loose:
    return Loose({"h": p.emb[xs[0]]}, (xs, "yes" if len(xs) > 2 else "no"))


MODELS = [alone, nested, listed, missing, matrices, anything]
