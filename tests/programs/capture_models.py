"""Models whose local functions change variables of the function around them."""

# Models as they are written in a hurry.
# ruff: noqa: E731, RUF007, UP033
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

import collections
import functools
import heapq
from functools import cache, lru_cache
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def first_visits(p: P, xs: list[int]) -> Any:
    visited, stack, found = set(), [], None

    def go(i, depth=0):
        nonlocal found
        if i in visited or i >= len(xs):
            return depth
        visited.add(i)
        if xs[i] == 3 and found is None:
            found = i
        best = max(go(2 * i + 1, depth + 1), go(2 * i + 2, depth + 1))
        stack.append(i)
        return best

    return go(0), stack, found, len(visited), sorted(visited)


@ab.model
def parser(p: P, xs: list[int]) -> Any:
    pos, log = 0, []

    def peek():
        return xs[pos] if pos < len(xs) else -1

    def take():
        nonlocal pos
        pos += 1
        return xs[pos - 1]

    def expr():
        t = p.emb[term()]
        while peek() % 4 == 1:
            take()
            t = ops.tanh(t @ p.w + p.emb[term()])
        return t

    def term():
        if peek() == -1:
            return 0
        v = take()
        log.append(v)
        return v

    return expr(), pos, log


@ab.model
def collections_of_all_kinds(p: P, xs: list[int]) -> Any:
    counts, later = collections.Counter(), collections.deque()
    after, heap = collections.defaultdict(list), []

    def add(a, b):
        counts[a] += 1
        after[a].append(b)
        later.append(b)
        heapq.heappush(heap, (b % 5, a))

    def drain():
        s = 0
        while later:
            s += later.popleft() * counts[s % 5]
        return s

    for a, b in zip(xs, xs[1:], strict=False):
        add(a, b)
    total = drain()
    order = [heapq.heappop(heap)[1] for _ in range(len(heap))]
    return total, dict(counts), {k: len(after[k]) for k in sorted(after)}, order


@ab.model
def one_inside_another(p: P, xs: list[int]) -> Any:
    total = 0

    def outer(k):
        own = []

        def inner(j):
            nonlocal total
            total += j
            own.append(j)
            return len(own)

        for j in range(k):
            inner(j + k)
        return sum(own) + inner(100)

    return [outer(x % 4) for x in xs], total


@ab.model
def state_of_a_cell(p: P, xs: list[int]) -> Any:
    h, c = p.b, p.b * 0.0

    def step(x):
        nonlocal h, c
        new = ops.tanh(h @ p.w + p.emb[x])
        c = c + h * new
        h = new

    for x in xs:
        step(x)
        if ops.item(h[0]) > 0.5:
            step(1)
    return h, c


@ab.model
def groups_of_lists(p: P, xs: list[int]) -> Any:
    current, groups = [], []

    def flush():
        nonlocal current
        groups.append(current)
        current = []

    for x in xs:
        if x % 3 == 0:
            flush()
        current.append(x)
    flush()
    return groups


@ab.model
def read_by_functions_that_are_passed_on(p: P, xs: list[int]) -> Any:
    scores, out = {}, []

    def score(x):
        if x not in scores:
            scores[x] = x * x % 7
        out.append(x)
        return scores[x]

    def key(x):
        return out.count(x) * 100 + x

    get = lambda k: scores.get(k, -1)

    def twice(x):
        s = get(x)
        scores[x] = 50
        return s * 100 + get(x)

    best = list(map(score, xs))
    order = sorted(scores, key=lambda k: (scores[k], k))
    return best, order, sorted(xs, key=key), [twice(x) for x in xs]


@ab.model
def a_list_that_is_given_and_returned(p: P, xs: list[int]) -> Any:
    def visit(i, acc):
        if i < len(xs):
            acc.append(xs[i])
            visit(i + 1, acc)
            acc.append(-xs[i])
        return acc

    out = [4]
    out = visit(0, out)
    out = visit(len(xs) - 1, out)
    return out, visit(0, [])


@ab.model
def longest_common(p: P, xs: list[int]) -> Any:
    ys, calls = xs[::-1], 0

    @lru_cache(maxsize=None)
    def dp(i, j):
        nonlocal calls
        calls += 1
        if i == 0 or j == 0:
            return 0
        if xs[i - 1] == ys[j - 1]:
            return dp(i - 1, j - 1) + 1
        return max(dp(i - 1, j), dp(i, j - 1))

    return dp(len(xs), len(ys)), calls


@lru_cache(maxsize=None)
def position(k):
    return k * 3 % 7


@ab.model
def cached(p: P, xs: list[int]) -> Any:
    @cache
    def f(k):
        if k <= 1:
            return p.emb[k]
        k = k - 1
        return ops.tanh(f(k) @ p.w + f(k - 1))

    @functools.lru_cache
    def inside(i, j):
        if j - i <= 1:
            return p.emb[xs[i]] if i < len(xs) else p.b
        best = p.b * 0
        for k in range(i + 1, j):
            best = best + ops.tanh(inside(i, k) @ p.w + inside(k, j))
        return best

    return [f(x) for x in xs], [position(x) for x in xs], inside(0, min(len(xs), 6))


MODELS = (
    first_visits, parser,
    collections_of_all_kinds, one_inside_another, state_of_a_cell, groups_of_lists,
    read_by_functions_that_are_passed_on, a_list_that_is_given_and_returned, longest_common, cached,
)  # fmt: skip
