"""Models whose results have tuples of any length, which are tuples again."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, return-value"
# mypy: disable-error-code="assignment"
# ruff: noqa: B905, C420, RUF005

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.listed_object_models import P


@dataclass
class Span:
    ids: tuple[int, ...]
    score: float


class Step(NamedTuple):
    path: tuple[int, ...]
    h: Float32[Tensor, "H"]


@ab.data
class Leaf:
    k: int


@ab.data
class Node:
    kids: tuple[Node | Leaf, ...]
    labels: tuple[tuple[int, bool], ...]


@ab.model
def alone(p: P, xs: list[int]) -> tuple[int, ...]:
    return tuple(sorted(xs))


@ab.model
def of_tensors(p: P, xs: list[int]) -> tuple[Float32[Tensor, "H"], ...]:
    return tuple(ops.tanh(p.emb[x]) for x in xs)


@ab.model
def of_pairs(p: P, xs: list[int]) -> tuple[tuple[int, float], ...]:
    return tuple((x, 0.5 * x) for x in xs)


@ab.model
def beside_a_list(p: P, xs: list[int]) -> Any:
    return xs, tuple(xs), [tuple(xs), tuple(xs[1:])], {"found": tuple(xs), "count": len(xs)}


@ab.model
def in_an_object(p: P, xs: list[int]) -> Any:
    total = 0.0
    for x in xs:
        total += float(p.emb[x].sum())
    return Span(tuple(xs), total)


@ab.model
def in_a_data_type(p: P, xs: list[int]) -> Any:
    tree = Leaf(0)
    for x in xs:
        tree = Node((tree, Leaf(x)), ((x, x > 2), (1, True)))
    return tree


@ab.model
def beams(p: P, xs: list[int]) -> Any:
    beam = [Step((), p.b)]
    for x in xs:
        beam = [Step((*s.path, x), np.tanh(p.w @ s.h + p.emb[x])) for s in beam]
        if x > 4:
            beam = beam + [Step(beam[0].path + (9,), p.b)]
    return beam


@ab.model
def of_a_helper(p: P, xs: list[int]) -> Any:
    def positive(ks):
        return tuple(k for k in ks if k > 0)

    first = positive(xs)
    rest = positive(xs[1:])
    return first if len(first) > len(rest) else rest


@ab.model
def may_be_missing(p: P, xs: list[int]) -> tuple[int, ...] | None:
    return tuple(xs) if len(xs) > 1 else None


@ab.model
def of_empty_ones(p: P, xs: list[int]) -> list[tuple[int, ...]]:
    return [tuple(range(x)) for x in xs]


@ab.model
def of_matrices(p: P, xs: list[int]) -> Any:
    return tuple(np.stack([p.emb[x] for x in range(k + 1)]) for k in xs)


@ab.model
def by_key(p: P, xs: list[int]) -> dict[int, tuple[int, ...]]:
    return {x: tuple(range(x)) for x in xs}


@ab.model
def grown(p: P, xs: list[int]) -> Any:
    path = ()
    for x in xs:
        path = path + (x,)
    return path


@ab.model
def grown_in_place(p: P, xs: list[int]) -> Any:
    path: tuple[int, ...] = ()
    for x in xs:
        path += (x, 2 * x)
    return path, path[1:], path[::-1], path * 2


@ab.model
def lists_of_it(p: P, xs: list[int]) -> Any:
    t = tuple(xs)
    made = list(t)
    made.append(3)
    first, *rest = t
    return t, made, sorted(t), tuple(made), first, rest


@ab.model
def as_arguments(p: P, xs: list[int]) -> Any:
    def one_more(t: tuple[int, ...]) -> list[int]:
        return [k + 1 for k in t]

    def same(t: tuple[int, ...]) -> tuple[int, ...]:
        return t

    return one_more(tuple(xs)), same(tuple(xs)), xs


@ab.model
def paths(p: P, xs: list[int]) -> Any:
    def go(n, path):
        if n == 0:
            return [path]
        return go(n - 1, path + (n,)) + go(n - 1, path + (0,))

    return go(len(xs) % 4, ())


@ab.model
def of_columns(p: P, xs: list[int]) -> Any:
    a, b = zip(*[(x, x + 1) for x in xs])
    return a, b, tuple({x: 1 for x in xs}), tuple(reversed(xs)), tuple(enumerate(xs))


MODELS = [
    alone,
    of_tensors,
    of_pairs,
    beside_a_list,
    in_an_object,
    in_a_data_type,
    beams,
    of_a_helper,
    may_be_missing,
    of_empty_ones,
    of_matrices,
    by_key,
    grown,
    grown_in_place,
    lists_of_it,
    as_arguments,
    paths,
    of_columns,
]
