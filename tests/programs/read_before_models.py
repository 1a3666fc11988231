"""Models that read a list, dict or field above what first puts something into it."""

# Models as they are written in a hurry.
# ruff: noqa: C416, C420, RUF005, RUF059
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


def _parse2(xs):
    if not xs:
        return None, []
    return "x", [(i, w) for i, w in enumerate(xs)]


@ab.model
def joined_text(p: P, xs: list[int]) -> Any:
    label, pairs = _parse2(xs)
    return label, pairs


def _parse3(xs):
    if len(xs) < 2:
        return None, {}
    return "x", {x: (i, x) for i, x in enumerate(xs)}


@ab.model
def joined_dict(p: P, xs: list[int]) -> Any:
    label, pairs = _parse3(xs)
    return label, pairs, [pairs[x][0] for x in xs if x in pairs]


@ab.model
def hyps_m(p: P, xs: list[int]) -> Any:
    hyps = [([], 0)]
    for x in xs:
        hyps = [(t + [(x, y)], s + y) for t, s in hyps for y in (0, 1)]
        hyps = sorted(hyps, key=lambda h: -h[1])[:3]
    return hyps


@ab.model
def best_m(p: P, xs: list[int]) -> Any:
    best = (None, -1.0, [])
    for x in xs:
        s = float(x)
        if s > best[1]:
            best = (p.emb[x], s, best[2] + [(x, s)])
    return best


@ab.model
def dict_comp_empty(p: P, xs: list[int]) -> Any:
    d = {}
    e = {k: v for k, v in d.items()}
    f = {k: 1 for k in []}
    for x in xs:
        e[x] = x
    return len(d), e, len(f)


@ab.model
def dict_comp_grows(p: P, xs: list[int]) -> Any:
    table = {}
    for x in xs:
        table = {k: v + 1 for k, v in table.items()}
        table[x] = 0
    return table


@ab.model
def dict_comp_states(p: P, xs: list[int]) -> Any:
    states = {}
    for x in xs:
        states = {k: (h @ p.w, n + 1) for k, (h, n) in states.items() if k != x}
        states[x] = (p.emb[x], 0)
    return [(k, h, n) for k, (h, n) in states.items()]


@ab.model
def keys_from_stack(p: P, xs: list[int]) -> Any:
    stack = []
    seen = set()
    for x in xs:
        stack.append((x, p.emb[x]))
        if len(stack) > 1:
            a, b = stack[-1], stack[-2]
            seen.add((a[0], b[0]))
    return sorted(seen)


@ab.model
def keys_before_push(p: P, xs: list[int]) -> Any:
    stack = []
    seen = set()
    n = 0
    for x in xs:
        if len(stack) >= 2:
            key = (stack[-1], stack[-2])
            if key not in seen:
                seen.add(key)
                n += 1
        stack.append(x)
    return n, sorted(seen)


@ab.model
def keys_dict_before_push(p: P, xs: list[int]) -> Any:
    stack = []
    counts = {}
    for x in xs:
        while len(stack) >= 2 and stack[-1][0] > x:
            a = stack.pop()
            b = stack.pop()
            counts[a[0], b[0]] = counts.get((a[0], b[0]), 0) + 1
            stack.append((a[0], b[1] + 1))
        stack.append((x, 0))
    return sorted(counts.items()), stack


class _State:
    def __init__(self):
        self.items = []
        self.done = []
        self.arcs = {}


@ab.model
def field_top(p: P, xs: list[int]) -> Any:
    s = _State()
    n = 0
    for x in xs:
        if s.items:
            y, h = s.items[-1]
            n += y
            s.done.append((y, x))
        s.items.append((x, p.emb[x]))
        if len(s.done) > 2:
            s.arcs[s.done[0]] = s.done[-1]
            s.done = []
    return n, s.done, sorted(s.arcs.items())


@ab.model
def field_pop(p: P, xs: list[int]) -> Any:
    s = _State()
    h = p.b
    for x in xs:
        while s.items and s.items[-1][0] >= x:
            y, z = s.items.pop()
            h = h + z
            s.arcs[y] = x
        s.items.append((x, p.emb[x]))
    return h, s.arcs, [y for y, _ in s.items]


MODELS = [
    joined_text,
    joined_dict,
    hyps_m,
    best_m,
    dict_comp_empty,
    dict_comp_grows,
    dict_comp_states,
    keys_from_stack,
    keys_before_push,
    keys_dict_before_push,
    field_top,
    field_pop,
]
