"""Models with Python's short forms: operators of sets, `d.update`, `next` with a default."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF007, SIM222
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs import tuple_target_models


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def sets_combined(p: P, xs: list[int]) -> Any:
    low = {x % 4 for x in xs}
    high = set(xs)
    both, any_, odd = low & high, low | high | {77}, low ^ high
    rest = high - low
    more = high.union(x + 1 for x in xs).intersection([1, 2, 3, 50])
    return sorted(both), sorted(any_), sorted(odd), sorted(rest), sorted(more), len(low - {0})


@ab.model
def sets_compared(p: P, xs: list[int]) -> Any:
    a, b = set(xs), {x % 3 for x in xs}
    return [
        1 if t else 0
        for t in (
            a <= b,
            a >= b,
            a == b,
            a != b,
            a == set(xs),
            b.issubset(a),
            a.issuperset(b),
            a.isdisjoint({100, 200}),
            b.isdisjoint({0, 1, 2}),
        )
    ]


@ab.model
def sets_that_shrink(p: P, xs: list[int]) -> Any:
    open_ = set(range(8))
    for x in xs:
        open_ -= {x % 8, (x + 1) % 8}
        if len(open_) < 3:
            break
    seen = set(xs)
    seen &= {1, 2, 3, 4}
    kept = seen.copy()
    seen.difference_update({2})
    kept.intersection_update(xs)
    return sorted(open_), sorted(seen), sorted(kept)


@ab.model
def dicts_updated(p: P, xs: list[int]) -> Any:
    d = {0: 1, 1: 2}
    d.update({1: d[0], 0: d[1]})
    e = {x % 5: x for x in xs}
    d.update(e)
    d.update([(x, x + 1) for x in xs])
    d.update(zip(xs, xs[1:]))
    d.update({7: 3})
    o = OrderedDict()
    o.update(d)
    f = defaultdict(int)
    f.update(e)
    f[100] += 1
    return d, o, f


@ab.model
def dicts_from_keys(p: P, xs: list[int]) -> Any:
    d = dict.fromkeys(xs, 0)
    for x in xs:
        d[x] += x
    k = dict.fromkeys(xs)
    for x in xs[1:]:
        k[x] = x * 2
    return d, list(dict.fromkeys(x % 3 for x in xs)), [v is None for v in k.values()]


@ab.model
def keys_by_value(p: P, xs: list[int]) -> Any:
    d = {0: 0}
    for x in xs:
        d[x % 5] = d.get(x % 5, 0) + x
    return max(d), min(d), max(d, key=d.get), min(d, key=lambda k: (d[k], k))


@ab.model
def popped_with_a_default(p: P, xs: list[int]) -> Any:
    d = {x % 5: x for x in xs}
    a, b = d.pop(1, 0), d.pop(1, -1)
    stack = [3, 4, 5]
    c = d.pop(2, stack.pop()) + d.pop(2, stack.pop())
    rows = {x: [x] for x in xs}
    row = rows.pop(3, []) + rows.pop(3, [8])
    return a, b, c, d, stack, row, rows


@ab.model
def removed(p: P, xs: list[int]) -> Any:
    ys = [x % 3 for x in xs] + [0, 1, 2]
    ys.remove(1)
    ys.remove(ys[-1])
    while 0 in ys:
        ys.remove(0)
    return ys


@ab.model
def first_or_default(p: P, xs: list[int]) -> Any:
    x = next((x for x in xs if x > 3), -1)
    y = next((x * 10 for x in xs if x > 300), x)
    z = next((p.emb[k] for k in xs if k % 2), None)
    w = next((100 // (x - xs[0]) for x in xs[1:] if x != xs[0]), 0)
    n = sum([next((a for a in xs if a > b), 0) for b in xs])
    return x, y, (p.b if z is None else z), w, n


@ab.model
def stops_at_the_first(p: P, xs: list[int]) -> Any:
    tried = []

    def fits(x):
        tried.append(x)
        return x % 3 == 2

    found = next((x for x in xs if fits(x)), None)
    return tried, -1 if found is None else found


@ab.model
def returns_the_first(p: P, xs: list[int]) -> Any:
    rows = [(x, [x, x + 1]) for x in xs]
    return next((b for a, b in rows if a > 4), next((b for a, b in rows if a > 2), [0]))


@ab.model
def columns(p: P, xs: list[int]) -> Any:
    pairs = [(x, p.emb[x % 9]) for x in xs] + [(7, p.b)]
    ks, vs = zip(*pairs)
    a, b = zip(*[(k, k + 1) for k in ks])
    return sum(ks), sum(a) * sum(b), ops.tanh(sum(vs) @ p.w)


@ab.model
def defaults_come_first(p: P, xs: list[int]) -> Any:
    st = [1, 2, 3]
    k = next((x for x in xs if x > 2), st.pop())

    def g():
        return next((x for x in xs if x > 4), st.pop())

    return k, g(), st


@ab.model
def names_in_a_search(p: P, xs: list[int]) -> Any:
    x = 2
    x = next((x + y for y in xs if y > x), x)
    y = next((y for y in xs if y > x), None)
    z = w = next((y for y in xs if y > 1), None)
    return x, -1 if y is None else y, z is None, w is None


KINDS = ("a", "b", "c")


@ab.model
def methods_of_values(p: P, xs: list[int]) -> Any:
    places = [KINDS.index("abc"[x % 3]) for x in xs]
    t = (4, 5, 6)
    best = np.argmax(p.emb[xs[0] % 9] @ p.w).item()
    return places, KINDS.count("a"), t.index(4 + len(xs) % 3), t.count(4), best


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b
        self.log = []

    def swap(self):
        self.a, self.b = self.b, self.a
        self.log.append(self.a)


@ab.model
def fields_at_once(p: P, xs: list[int]) -> Any:
    s = Pair(1, 2)
    for x in xs:
        s.swap()
        s.a, s.b = s.a + x, s.a
    return s.a, s.b, s.log


@ab.model
def parts_not_read(p: P, xs: list[int]) -> Any:
    rows = [(x, "a", p.emb[x % 9]) for x in xs] + [(2, "b", p.b)]
    total = 0
    for n, _, _ in rows:
        total += n
    first, *_ = rows[-1]
    *_, last = rows[0]
    _, *two = (1, 2, 3)
    for _ in range(2):
        total += 1
    _ = p.b
    return total, first, last, two


@ab.model
def stops_at_a_constant(p: P, xs: list[int]) -> Any:
    n = None
    return 1 if n is None or n > 3 else 2, [x for x in xs if True or x > 3]


MODELS = [
    *tuple_target_models.MODELS,
    sets_combined,
    sets_compared,
    sets_that_shrink,
    dicts_updated,
    dicts_from_keys,
    keys_by_value,
    popped_with_a_default,
    removed,
    first_or_default,
    stops_at_the_first,
    returns_the_first,
    columns,
    defaults_come_first,
    names_in_a_search,
    methods_of_values,
    fields_at_once,
    parts_not_read,
    stops_at_a_constant,
]
