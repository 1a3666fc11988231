"""Functions of `heapq` in the model language: they leave the items of a heap in the order in which
Python's own, which are written in C, leave them (the binary heap of Lib/heapq.py, whose items move
down to a leaf and then up again)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any


def _heappush(heap, item):
    heap.append(item)
    at = len(heap) - 1
    while at > 0:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    _sift(heap, 0, last)
    return first


def _heapreplace(heap, item):
    first = heap[0]
    _sift(heap, 0, item)
    return first


def _heappushpop(heap, item):
    if not heap or not heap[0] < item:
        return item
    first = heap[0]
    _sift(heap, 0, item)
    return first


def _heapify(heap):
    for at in range(len(heap) // 2 - 1, -1, -1):
        _sift(heap, at, heap[at])


def _sift(heap, start, item):
    """Put `item` in the place of the item at `start`."""
    at, child = start, 2 * start + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


# By the identity of what a model calls.
HEAPS: Mapping[int, Callable[..., Any]] = {
    id(heapq.heappush): _heappush,
    id(heapq.heappop): _heappop,
    id(heapq.heapreplace): _heapreplace,
    id(heapq.heappushpop): _heappushpop,
    id(heapq.heapify): _heapify,
    id(_sift): _sift,
}
