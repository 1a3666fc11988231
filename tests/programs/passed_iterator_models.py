"""Models that pass iterators to functions."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: B905, RUF007

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


def run(p: P, frames):
    h, states = p.b, []
    for x in frames:
        h = np.tanh(x + p.w @ h)
        states.append(h)
    return states


def total(numbers: Iterable[int]) -> int:
    return sum(2 * n for n in numbers)


def first_large(numbers: Iterator[int], least: int = 3) -> int:
    for n in numbers:
        if n > least:
            return n
    return -1


@ab.model
def backwards(p: P, xs: list[int]) -> Any:
    frames = [p.emb[x] for x in xs]
    return run(p, reversed(frames))[::-1], run(p, frames)


@ab.model
def of_a_generator(p: P, xs: list[int]) -> Any:
    return (
        total(x + 1 for x in xs),
        first_large((2 * x for x in xs), least=5),
        run(p, (p.emb[x] for x in xs)),
    )


@ab.model
def by_name(p: P, xs: list[int]) -> Any:
    return first_large(least=4, numbers=reversed(xs)), total(numbers=map(abs, xs))


@ab.model
def of_pairs(p: P, xs: list[int]) -> Any:
    def products(pairs):
        return [a * b for a, b in pairs]

    def last(items):
        found = 0
        for k, x in items:
            found = k + x
        return found

    return products(zip(xs, xs[1:])), last(enumerate(xs)), products(pairs=zip(xs, reversed(xs)))


@ab.model
def in_a_loop(p: P, xs: list[int]) -> Any:
    found = []
    for x in xs:
        found.append(total(filter(lambda k: k != x, xs)))
    return found


@ab.model
def for_calls(p: P, xs: list[int]) -> Any:
    def largest(items, default):
        return max(items, default=default)

    def spread(items):
        t = sorted(items)
        return t[-1] - t[0]

    return largest((x for x in xs if x > 2), -1), spread(x * x for x in xs)


MODELS = [for_calls, backwards, of_a_generator, by_name, of_pairs, in_a_loop]


def twice(numbers):
    return sum(n for n in numbers) + sum(n for n in numbers)


def in_turns(numbers, out):
    for n in numbers:
        out.append(n)
    return out


@ab.model
def read_twice(p: P, xs: list[int]) -> Any:
    """The second loop gets nothing in Python."""
    return twice(reversed(xs))


@ab.model
def late_and_changing(p: P, xs: list[int]) -> Any:
    """In Python, items are computed while the list grows."""
    out = [0]
    return in_turns((x + len(out) for x in xs), out)


REFUSED = [read_twice, late_and_changing]
