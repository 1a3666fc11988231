"""Models with counters, `ids = itertools.count()`."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import heapq
import itertools
from itertools import count
from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


@ab.model
def ties(p: P, xs: list[int]) -> Any:
    tie = itertools.count()
    heap = [(x, next(tie)) for x in xs]
    heapq.heapify(heap)
    out = []
    while heap:
        k, n = heapq.heappop(heap)
        out.append((k, n))
        if len(out) < 4:
            heapq.heappush(heap, (k + 1, next(tie)))
    return out


@ab.model
def from_a_start(p: P, xs: list[int]) -> Any:
    ids = count(10)
    down = itertools.count(5, -2)
    wide = itertools.count(xs[0], xs[-1])
    found = [next(ids), next(down), next(wide)]
    for x in xs:
        if x > 2:
            found.append(next(ids) + next(down))
        found.append(next(wide))
    return found


@ab.model
def in_a_function(p: P, xs: list[int]) -> Any:
    ids = count()

    def tree(n):
        k = next(ids)
        if n == 0:
            return [k]
        return [*tree(n - 1), k, *tree(n - 1)]

    return tree(len(xs) % 4), next(ids)


@ab.model
def in_a_block(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        ids = itertools.count(x)
        if x > 1:
            tie = count()
            out.append(next(tie) + next(ids) + next(tie))
        out.append(next(ids))
    return out


MODELS = [in_a_block, ties, from_a_start, in_a_function]
