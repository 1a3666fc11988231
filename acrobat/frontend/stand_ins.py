"""Functions of the standard library in the model language. Those of `itertools` return lists:
constructs/iterators.py lets them stand only where a result is read once, as an iterator's is."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Mapping
from typing import Any


def _pairwise(xs):
    return [(xs[i], xs[i + 1]) for i in range(len(xs) - 1)]


def _sums(xs):
    found = []
    for i, x in enumerate(xs):
        found.append(x if i == 0 else found[i - 1] + x)
    return found


def _folds(xs, f):
    found = []
    for i, x in enumerate(xs):
        found.append(x if i == 0 else f(found[i - 1], x))
    return found


def _folds_from(xs, f, initial):
    found = [initial]
    for x in xs:
        initial = f(initial, x)
        found.append(initial)
    return found


def _groups(xs):
    found = []
    start = 0
    for i, x in enumerate(xs):
        if i + 1 == len(xs) or xs[i + 1] != x:
            found.append((x, xs[start : i + 1]))
            start = i + 1
    return found


def _groups_by(xs, key):
    found = []
    start = 0
    keys = [key(x) for x in xs]
    for i, k in enumerate(keys):
        if i + 1 == len(xs) or keys[i + 1] != k:
            found.append((k, xs[start : i + 1]))
            start = i + 1
    return found


def _takewhile(test, xs):
    found = []
    for x in xs:
        if not test(x):
            break
        found.append(x)
    return found


def _dropwhile(test, xs):
    start = len(xs)
    for i, x in enumerate(xs):
        if not test(x):
            start = i
            break
    return xs[start:]


def counted(xs):
    """`Counter(xs)` as a dict."""
    found = {}
    for x in xs:
        found[x] = found.get(x, 0) + 1
    return found


def most_common(xs):
    """`Counter(xs).most_common()`."""
    found = counted(xs)
    return sorted(found.items(), key=lambda item: item[1], reverse=True)


def _islice(xs, start, stop):
    if start < 0 or stop < 0:
        raise ValueError("Indices for islice() must be integers: 0 <= x <= sys.maxsize.")
    return xs[start:stop]


def _islice_from(xs, start):
    return _islice(xs, start, len(xs))


def _sorted(xs):
    if len(xs) < 2:
        return xs
    half = len(xs) // 2
    return _merged(_sorted(xs[:half]), _sorted(xs[half:]))


def _merged(xs, ys):
    found = []
    i = 0
    j = 0
    while i < len(xs) and j < len(ys):
        if ys[j] < xs[i]:
            found.append(ys[j])
            j += 1
        else:
            found.append(xs[i])
            i += 1
    return found + xs[i:] + ys[j:]


def _min(xs):
    if len(xs) == 0:
        raise ValueError("min() arg is an empty sequence")
    least = xs[0]
    for x in xs[1:]:
        if x < least:
            least = x
    return least


def _max(xs):
    if len(xs) == 0:
        raise ValueError("max() arg is an empty sequence")
    greatest = xs[0]
    for x in xs[1:]:
        if x > greatest:
            greatest = x
    return greatest


def _largest(pairs, default):
    return max(pairs, key=lambda pair: pair[0])[1] if len(pairs) > 0 else default


def _least(pairs, default):
    return min(pairs, key=lambda pair: pair[0])[1] if len(pairs) > 0 else default


# By what a model calls, and the number of its arguments.
STAND_INS: Mapping[tuple[object, int], Callable[..., Any]] = {
    (itertools.pairwise, 1): _pairwise,
    (itertools.accumulate, 1): _sums,
    (itertools.accumulate, 2): _folds,
    (itertools.accumulate, 3): _folds_from,
    (itertools.groupby, 1): _groups,
    (itertools.groupby, 2): _groups_by,
    (itertools.takewhile, 2): _takewhile,
    (itertools.dropwhile, 2): _dropwhile,
    (itertools.islice, 2): _islice_from,
    (itertools.islice, 3): _islice,
    (collections.Counter, 1): counted,
    ("most_common", 1): most_common,
    ("sorted by methods", 1): _sorted,
    ("merged by methods", 2): _merged,
    ("min by methods", 1): _min,
    ("max by methods", 1): _max,
    ("largest of pairs", 2): _largest,
    ("least of pairs", 2): _least,
}
