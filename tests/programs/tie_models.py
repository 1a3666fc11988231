"""Models with tuples in a heap whose last part has no order, and is never compared."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, var-annotated"

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@dataclass
class Item:
    k: int
    h: np.ndarray


class Tree:
    def __init__(self, count, symbol=-1, left=None, right=None):
        self.count = count
        self.symbol = symbol
        self.left = left
        self.right = right


@ab.model
def with_a_counter(p: P, xs: list[int]) -> Any:
    ids = itertools.count()
    heap = []
    for x in xs:
        heapq.heappush(heap, (x % 3, next(ids), Item(x, p.emb[x])))
    out = []
    while heap:
        cost, _, item = heapq.heappop(heap)
        out.append((cost, item.k, item.h))
        if len(out) < 3:
            heapq.heappush(heap, (cost + 1, next(ids), Item(item.k + 1, np.tanh(item.h))))
    return out


@ab.model
def huffman(p: P, xs: list[int]) -> Any:
    counts: dict[int, int] = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    tie = itertools.count()
    heap = [(n, next(tie), Tree(n, s)) for s, n in sorted(counts.items())]
    heapq.heapify(heap)
    while len(heap) > 1:
        m, _, a = heapq.heappop(heap)
        n, _, b = heapq.heappop(heap)
        heapq.heappush(heap, (m + n, next(tie), Tree(m + n, -1, a, b)))
    codes: dict[int, str] = {}

    def walk(t, prefix):
        if t.symbol >= 0:
            codes[t.symbol] = prefix or "0"
        else:
            walk(t.left, prefix + "0")
            walk(t.right, prefix + "1")

    walk(heap[0][2], "")
    return codes, p.b


@ab.model
def of_objects_that_change(p: P, xs: list[int]) -> Any:
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, (x * 10 + i, Tree(x)))
    last = heap[0][1]
    last.count += 1
    return heap[0][1].count, [t.count for _, t in heap]


MODELS = [with_a_counter, huffman, of_objects_that_change]


@ab.model
def tied(p: P, xs: list[int]) -> Any:
    """Python compares the items, which have no order."""
    heap = [(xs[0], Item(1, p.b))]
    heapq.heappush(heap, (1, Item(2, p.b)))
    return heap[0][1].k
