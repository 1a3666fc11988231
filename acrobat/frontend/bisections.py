"""Functions of `bisect` in the model language."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping
from typing import Any


def _bisect_left(a, x, lo=0, hi=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if a[middle] < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def _bisect_right(a, x, lo=0, hi=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if x < a[middle]:
            hi = middle
        else:
            lo = middle + 1
    return lo


# The item comes first, so that an empty list has a type to be searched by.
def _insort_left(a, x):
    a.append(x)
    _move(a, _bisect_left(a, x, 0, len(a) - 1), x)


def _insort_right(a, x):
    a.append(x)
    _move(a, _bisect_right(a, x, 0, len(a) - 1), x)


def _move(a, to, x):
    """Move `x` from the end of a list."""
    for at in range(len(a) - 1, to, -1):
        a[at] = a[at - 1]
    a[to] = x


# By the identity of what a model calls.
BISECTIONS: Mapping[int, Callable[..., Any]] = {
    **{id(function): function for function in (_bisect_left, _bisect_right, _move)},
    id(bisect.bisect_left): _bisect_left,
    id(bisect.bisect_right): _bisect_right,
    id(bisect.bisect): _bisect_right,
    id(bisect.insort_left): _insort_left,
    id(bisect.insort_right): _insort_right,
    id(bisect.insort): _insort_right,
}
