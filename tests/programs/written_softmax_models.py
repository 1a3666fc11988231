"""Models that write a softmax out, or something that only looks like one, over rows whose number
only the instance knows."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import math
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def of_numpy(x):
    """With numpy's functions, and the axis as a number."""
    z = x - np.max(x, axis=1, keepdims=True)
    return np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)


def with_new_axes(x):
    e = np.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def of_vector(s):
    e = np.exp(s - np.max(s))
    return e / np.sum(e)


def along_columns(x):
    """Without `keepdims`, numpy takes the vector for a row, without an error as x is square."""
    e = np.exp(x - x.max(axis=-1))
    return e / e.sum(axis=-1)


def not_shifted(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def twice_normalised(x):
    return softmax(softmax(x))


def tempered(x, t):
    return softmax(x / t)


@ab.model
def with_a_function(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return softmax(m @ m.T / math.sqrt(4)) @ (m @ p.w)


@ab.model
def with_functions_of_numpy(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return of_numpy(m @ m.T) @ m


@ab.model
def with_functions_and_new_axes(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return with_new_axes(m @ m.T + 1.0) @ m


@ab.model
def inline(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    s = m @ m.T
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ m, weights


@ab.model
def causal(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    n = len(m)
    mask = np.triu(np.full((n, n), -1e9), k=1)
    return softmax(m @ p.w @ m.T + mask) @ m


@ab.model
def causal_by_where(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    n = len(m)
    s = np.where(np.tril(np.ones((n, n))) > 0, m @ m.T, -1e9)
    return softmax(s) @ m


@ab.model
def a_query(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    a = of_vector(m @ p.b)
    return a @ m, a


@ab.model
def a_query_in_a_loop(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    h = p.b
    for _ in range(3):
        h = np.tanh(of_vector(m @ h) @ m @ p.w)
    return h


@ab.model
def two_heads(p: P, xs: list[int]) -> Any:
    q, k, v = p.emb[xs] @ p.w, p.emb[xs], np.tanh(p.emb[xs])
    heads = []
    for i in range(2):
        a, b = 2 * i, 2 * i + 2
        heads.append(softmax(q[:, a:b] @ k[:, a:b].T / math.sqrt(2)) @ v[:, a:b])
    return np.concatenate(heads, axis=-1) @ p.w


@ab.model
def other_keys(p: P, xs: list[int]) -> Any:
    m, keys = p.emb[xs], p.emb[[*xs, 1, 2, 3]]
    return softmax(m @ keys.T) @ keys


@ab.model
def normalised_twice(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return twice_normalised(m @ m.T) @ m


@ab.model
def with_a_temperature(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return tempered(m @ m.T, 0.5) @ m + tempered(m @ m.T, float(xs[0] + 1)) @ m


@ab.model
def the_wrong_axis(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return along_columns(m @ p.w @ m.T) @ m


@ab.model
def without_the_largest(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    return not_shifted(m @ m.T) @ m


@ab.model
def the_largest_of_another(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    s, t = m @ m.T, m @ p.w @ m.T
    e = np.exp(s - t.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ m


@ab.model
def the_sum_of_another(p: P, xs: list[int]) -> Any:
    m = p.emb[xs]
    s, t = m @ m.T, m @ p.w @ m.T
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    d = np.exp(t - t.max(axis=-1, keepdims=True))
    return (e / d.sum(axis=-1, keepdims=True)) @ m


@ab.model
def the_total_too(p: P, xs: list[int]) -> Any:
    s = p.emb[xs] @ p.b
    largest = s.max()
    e = np.exp(s - largest)
    total = e.sum()
    return e / total, total, largest, largest - s, total / e


@ab.model
def joined_rows(p: P, xs: list[int]) -> Any:
    rows = [p.emb[x] for x in xs]
    out = []
    for i in range(len(rows)):
        s = np.array([rows[i] @ r for r in rows[: i + 1]])
        a = of_vector(s)
        out.append(sum(a[j] * rows[j] for j in range(i + 1)))
    return ops.stack(out)


MODELS = (
    with_a_function, with_functions_of_numpy, with_functions_and_new_axes, inline, causal,
    causal_by_where, a_query, a_query_in_a_loop, two_heads, other_keys, normalised_twice,
    with_a_temperature, the_wrong_axis, without_the_largest, the_largest_of_another,
    the_sum_of_another, the_total_too, joined_rows,
)  # fmt: skip
