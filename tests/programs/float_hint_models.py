"""Models that call a tensor of rank 0 a float, as numpy's authors do."""

# Models as they are written in a hurry.
# mypy: ignore-errors
# ruff: noqa: RUF005

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@dataclass
class Best:
    score: float
    k: int


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


@dataclass
class Node:
    k: int
    score: float = 0.0
    kids: list[Node] = None


class Scorer:
    def __init__(self, p: P, bias: float = 0.0):
        self.p = p
        self.bias = bias
        self.total: float = 0.0

    def score(self, k: int) -> float:
        s = self.p.emb[k] @ self.p.b + self.bias
        self.total += s
        return s


@ab.model
def result(p: P, xs: list[int]) -> float:
    return (p.emb[xs[0]] * p.b).sum()


@ab.model
def list_of_results(p: P, xs: list[int]) -> list[float]:
    return [p.emb[x] @ p.b for x in xs]


@ab.model
def tuple_of_results(p: P, xs: list[int]) -> tuple[int, float]:
    h = p.emb[xs[0]]
    return h.argmax(), h.max()


@ab.model
def dict_of_results(p: P, xs: list[int]) -> dict[str, float]:
    return {"best": p.emb[xs[0]].max(), "n": 2.0}


@ab.model
def of_a_helper(p: P, xs: list[int]) -> Any:
    def scale(h: np.ndarray, by: float) -> np.ndarray:
        return h * by

    def energy(h) -> float:
        return h @ h

    def better(a: float, b: float) -> bool:
        return a > b

    e = energy(p.b)
    return scale(p.b, p.emb[xs[0]].sum()), e, better(e, 0.5), scale(p.b, 2)


@ab.model
def in_an_object(p: P, xs: list[int]) -> Best:
    h = p.emb[xs[0]]
    return Best(h.max(), h.argmax())


@ab.model
def variables(p: P, xs: list[int]) -> Any:
    best: float = -np.inf
    scores: list[float] = []
    table: dict[int, float] = {}
    for x in xs:
        s: float = p.emb[x] @ p.b
        scores.append(s)
        table[x] = (p.emb[x] @ p.w).max()
        if s > best:
            best = s
    return best, scores, table, max(scores)


@ab.model
def in_a_named_tuple(p: P, xs: list[int]) -> Hypothesis:
    best = Hypothesis([], 0.0)
    for x in xs:
        best = Hypothesis(best.tokens + [x], best.score + p.emb[x].sum())
        best = best._replace(score=best.score * 0.5)
    return best


@ab.model
def beam(p: P, xs: list[int]) -> list[Hypothesis]:
    found = [Hypothesis([x], p.emb[x] @ p.b) for x in xs]
    return sorted(found, key=lambda h: -h.score)[:2]


@ab.model
def changing_objects(p: P, xs: list[int]) -> float:
    root = Node(0, 0.0, [])
    for x in xs:
        root.kids.append(Node(x, p.emb[x] @ p.b, []))
    total = 0.0
    for kid in root.kids:
        total += kid.score
    return total


@ab.model
def methods(p: P, xs: list[int]) -> Any:
    s = Scorer(p, p.b.max())
    return [s.score(x) for x in xs], s.total


@ab.model
def keys(p: P, xs: list[int]) -> tuple[list[int], float]:
    scores: dict[int, float] = {x: p.emb[x].sum() for x in xs}
    order: list[int] = sorted(scores, key=scores.get, reverse=True)
    return order, scores[order[0]]


@ab.model
def recursive(p: P, xs: list[int]) -> float:
    def walk(i: int) -> float:
        if i == len(xs):
            return 0.0
        return p.emb[xs[i]].sum() + walk(i + 1)

    return walk(0)


@ab.model
def missing(p: P, xs: list[int]) -> float | None:
    if len(xs) > 3:
        return None
    return p.emb[xs[0]].max()


MODELS = [
    result,
    list_of_results,
    tuple_of_results,
    dict_of_results,
    of_a_helper,
    in_an_object,
    variables,
    in_a_named_tuple,
    beam,
    changing_objects,
    methods,
    keys,
    recursive,
    missing,
]


@ab.model
def no_number(p: P, xs: list[int]) -> float:
    return p.emb[xs[0]]


@ab.model
def in_a_variable(p: P, xs: list[int]) -> Any:
    h: float = p.emb[xs[0]]
    return h


@ab.model
def no_float_at_all(p: P, xs: list[int]) -> float:
    return list(xs)


REFUSED = {
    no_number: "AC021: no_number returns Tensor[H], but its hint says float",
    in_a_variable: "AC017: h is declared float, but this is Tensor[H]",
    no_float_at_all: "AC021: no_float_at_all returns list[int], but its hint says float",
}
