"""Models with slices that have a name, or are written as calls."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


@ab.model
def heads(p: P, xs: list[int]) -> Any:
    m = np.stack([p.emb[x] for x in xs])
    q, k, v = m @ p.w, m + p.b, m
    size, out = 2, []
    for i in range(2):
        part = slice(i * size, (i + 1) * size)
        scores = ops.softmax(q[:, part] @ k[:, part].T)
        out.append(scores @ v[:, part])
    return np.concatenate(out, axis=-1)


@ab.model
def of_lists(p: P, xs: list[int]) -> Any:
    first, rest = slice(2), slice(1, None)
    window = slice(len(xs) // 2, len(xs))
    back = slice(None, None, -1)
    return xs[first], xs[rest], xs[window], xs[back], xs[slice(0, 1)], p.b[slice(1, 3)]


@ab.model
def changing(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        s = slice(0, x)
        if x > 3:
            s = slice(1, x)
        out.append(xs[s])
    return out


@ab.model
def inside(p: P, xs: list[int]) -> Any:
    half = slice(0, 2)

    def pick(k):
        return p.emb[k][half]

    return [pick(x) for x in xs], [xs[half] for x in xs]


@ab.model
def stored(p: P, xs: list[int]) -> Any:
    h = np.zeros(4)
    left, right = slice(0, 2), slice(2, 4)
    h[left] = p.emb[xs[0]][right]
    h[right] += 1.0
    return h


MODELS = [heads, of_lists, changing, inside, stored]
