"""Models that change arrays in place: tensors, parts of them, and arrays in lists and dicts."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type, index"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def elements(p: P, xs: list[int]) -> Any:
    n = xs[0] % 4
    x = np.zeros(p.b.shape[0], dtype=np.float32)
    x[0] = 1.0
    x[-1] = 2
    x[n] += 0.5
    x[n - 1] *= p.b.sum()
    y = x + 1
    x[2] -= y[0]
    x[0], x[1] = x[1], x[0]
    return x @ p.w, x, y


@ab.model
def rows_and_columns(p: P, xs: list[int]) -> Any:
    n = xs[0] % 4
    m = p.w * 1.0
    m[0] = p.b
    m[n, :] = 0.0
    m[1] += p.b
    m[2, 1:3] = 7.5
    m[0, n] = 9
    m[1][n] -= 1.5
    m[:, n] = m.sum(axis=1)
    m[:, 0] = 0.25
    m[:, 1:3] *= 2
    m[:, -1] += p.w[:, 0]
    m[1:, 2:] = -1
    return m


@ab.model
def slices(p: P, xs: list[int]) -> Any:
    n = xs[0] % 4
    x = p.b.copy()
    x[1:3] = 0.0
    x[:1] = x[3:]
    x[2:] += p.b[:2]
    x[:n] = 0.5
    x[n:] -= 1
    y = p.b.copy()
    y[:] = 0.5
    y[...] += p.b
    m = p.w.copy()
    m[:] = p.b
    m[0:2] = p.w[2]
    return x, y, m


@ab.model
def masks(p: P, xs: list[int]) -> Any:
    x = p.b - p.emb[xs[0]]
    x[x < 0] = 0.0
    x[x > 0.3] *= 2
    m = p.w.copy()
    m[m < 0] = 0.0
    m[m.sum(axis=1) > 1] = 0.5
    m[:, p.b > 0.1] = 3
    k = [0, 2]
    y = np.array([1.0, 2.0, 3.0])
    y[k] = 0.0
    y[[1, 2]] += 0.5
    return x, m, y


@ab.model
def as_many_rows(p: P, xs: list[int]) -> Any:
    m = np.stack([p.emb[x] for x in xs])
    m[0] = p.b
    m[len(xs) - 1, 1] = 0.5
    m[-1] += 1
    m[m < 0] = 0.0
    return m, np.tanh(m @ p.b)


@ab.model
def forces(p: P, xs: list[int]) -> Any:
    found = [np.zeros(p.b.shape[0], dtype=np.float32) for _ in xs]
    for i, x in enumerate(xs):
        for j in range(i + 1, len(xs)):
            f = np.tanh(p.emb[x] - p.emb[xs[j]])
            found[i] = found[i] + f
            found[j] -= f
    total = np.zeros(4)
    for k, f in enumerate(found):
        total += f * k
    return found, total


@ab.model
def by_key(p: P, xs: list[int]) -> Any:
    sums = {}
    for x in xs:
        if x % 3 not in sums:
            sums[x % 3] = np.zeros(4)
        sums[x % 3] += p.emb[x]
        sums[x % 3][0] = 1.5
    return [v * k for k, v in sums.items()], sums[xs[0] % 3] @ p.w


@ab.model
def elements_of_items(p: P, xs: list[int]) -> Any:
    fs = [np.zeros(4) for _ in xs]
    for i, x in enumerate(xs):
        fs[i][x % 4] = 2.5
        fs[-1][0] += 1.0
        fs[i][1:3] = p.b[:2]
    return np.stack(fs)


@ab.model
def distribution(p: P, xs: list[int]) -> Any:
    scores = np.array([p.emb[x] @ p.b for x in xs])
    probs = np.exp(scores - scores.max())
    probs /= probs.sum()
    return int(probs.argmax()), float(np.log(probs[0])), probs


@ab.model
def made_again(p: P, xs: list[int]) -> Any:
    out = []
    for i, x in enumerate(xs):
        h = np.zeros(4)
        h[i % 4] = x
        h += p.emb[x]
        out.append(h)
    one = np.zeros(4)
    one[0] = 1.0
    out.append(one)
    return out


@ab.model
def own_again(p: P, xs: list[int]) -> Any:
    h = p.b
    for i in range(len(xs)):
        if i % 2 == 0:
            h = p.emb[xs[i]]
        h = h.copy()
        h[0] = i
    return h


@ab.model
def in_a_local_function(p: P, xs: list[int]) -> Any:
    h = np.zeros(4)

    def at(i):
        return h[i] * 2

    h[1] = xs[0]
    return at(1), at(0), h


class Memory:
    def __init__(self, rows: Float32[Tensor, "H H"]):
        self.rows = rows * 1.0
        self.uses = np.zeros(4, dtype=np.float32)

    def write(self, i, row):
        self.rows[i] = row
        self.uses[i] += 1.0

    def erase(self, i):
        self.rows[i] *= 1.0 - self.uses
        self.rows[:, i] = 0.0


@ab.model
def fields(p: P, xs: list[int]) -> Any:
    memory, seen = Memory(p.w), []
    for x in xs:
        memory.write(x % 4, p.emb[x])
        memory.erase((x + 1) % 4)
        seen.append(memory.rows.copy())
    memory.rows[0, 1] = 9.5
    memory.uses /= memory.uses.sum()
    return seen, memory.rows, memory.uses


def encoded(p, x):
    return np.tanh(p.emb[x] @ p.w)


def summed(p, xs):
    h = np.zeros(4)
    for x in xs:
        h += p.emb[x]
    return h


def chosen(p, xs):
    if len(xs) > 2:
        return encoded(p, xs[0])
    return summed(p, xs)


def down(p, n):
    if n <= 0:
        return np.zeros(4)
    h = down(p, n - 1)
    h += p.emb[n]
    h[0] = n
    return h


@ab.model
def results(p: P, xs: list[int]) -> Any:
    h = encoded(p, xs[0])
    h += p.b
    g = summed(p, xs)
    g -= h
    f = chosen(p, xs)
    f *= 2
    return h, g, f, down(p, len(xs))


@ab.model
def joined(p: P, xs: list[int]) -> Any:
    heads = [{x: np.tanh(p.emb[x] @ p.w[k]) * p.b for x in xs} for k in range(p.w.shape[0])]
    both = np.concatenate([h[xs[0]] for h in heads])
    return both, np.concatenate([np.tanh(p.w[k]) for k in range(2)])


ALONE = (
    elements,
    rows_and_columns,
    slices,
    masks,
    as_many_rows,
    forces,
    by_key,
    elements_of_items,
    distribution,
    made_again,
    own_again,
    in_a_local_function,
    fields,
    results,
    joined,
)
