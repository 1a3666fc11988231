"""Parsers and other programs with stacks that start empty."""

# Models as they are written in a hurry.
# ruff: noqa: RUF005
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


class Node:
    def __init__(self, word, h):
        self.word = word
        self.h = h
        self.kids = []


@ab.model
def shift_reduce(p: P, xs: list[int]) -> Any:
    stack, buffer, arcs = [], list(xs), []
    while buffer or len(stack) > 1:
        if len(stack) >= 2 and (not buffer or (stack[-1][0] + stack[-2][0]) % 2 == 0):
            w, h = stack.pop()
            v, g = stack.pop()
            arcs.append((v, w))
            stack.append((v, (g + h) @ p.w))
        else:
            x = buffer.pop(0)
            stack.append((x, p.emb[x]))
    return arcs, [h for _, h in stack]


@ab.model
def shift_reduce_objects(p: P, xs: list[int]) -> Any:
    stack = []
    arcs = []
    for x in xs:
        node = Node(x, p.emb[x])
        while stack and stack[-1].word > x:
            top = stack.pop()
            arcs.append((top.word, node.word))
        stack.append(node)
    return arcs, [n.word for n in stack], [n.h for n in stack]


@ab.model
def brackets(p: P, xs: list[int]) -> Any:
    stack = []
    root = []
    for x in xs:
        if x % 3 == 0:
            stack.append((x, []))
        elif x % 3 == 1 and stack:
            label, kids = stack.pop()
            if stack:
                stack[-1] = (stack[-1][0], stack[-1][1] + [(label, len(kids))])
            else:
                root.append((label, len(kids)))
        elif stack:
            stack[-1] = (stack[-1][0], stack[-1][1] + [(x, 0)])
    return root, stack


@ab.model
def undo_log(p: P, xs: list[int]) -> Any:
    log = []
    value = {}
    for x in xs:
        if x % 4 == 0 and log:
            k, old = log.pop()
            value[k] = old
        else:
            k = x % 3
            log.append((k, value.get(k, -1)))
            value[k] = x
    return log, value


class Parser:
    def __init__(self, words):
        self.buffer = list(words)
        self.stack = []
        self.arcs = []
        self.log = {}

    def shift(self, p):
        x = self.buffer.pop(0)
        self.stack.append((x, p.emb[x]))

    def reduce(self, p):
        a, g = self.stack.pop()
        b, h = self.stack.pop()
        self.arcs.append((b, a))
        self.stack.append((b, (g + h) @ p.w))

    def top(self):
        return self.stack[-1] if self.stack else None


@ab.model
def parser_class(p: P, xs: list[int]) -> Any:
    s = Parser(xs)
    while s.buffer or len(s.stack) > 1:
        if len(s.stack) > 1 and (not s.buffer or s.stack[-1][0] < s.buffer[0]):
            s.reduce(p)
        else:
            s.shift(p)
    t = s.top()
    return s.arcs, [w for w, _ in s.stack], t[1] if t is not None else p.b


@ab.model
def parser_log(p: P, xs: list[int]) -> Any:
    s = Parser(xs)
    while s.buffer:
        if len(s.stack) >= 2:
            key = (s.stack[-1][0], s.stack[-2][0])
            s.log[key] = s.log.get(key, 0) + 1
            s.reduce(p)
        s.shift(p)
    return s.log


@ab.model
def dfs_colors(p: P, xs: list[int]) -> Any:
    color = {}
    order = []
    stack = []
    for s in range(len(xs)):
        if s in color:
            continue
        stack.append((s, 0))
        while stack:
            u, depth = stack.pop()
            if u in color:
                continue
            color[u] = depth
            order.append(u)
            for v in (xs[u], u - 1):
                if 0 <= v < len(xs) and v not in color:
                    stack.append((v, depth + 1))
    return order, color


@ab.model
def tree_from_brackets(p: P, xs: list[int]) -> Any:
    stack = [[]]
    for x in xs:
        if x % 3 == 0:
            stack.append([])
        elif x % 3 == 1 and len(stack) > 1:
            done = stack.pop()
            stack[-1].append((len(done), x))
        else:
            stack[-1].append((0, x))
    return stack


@ab.model
def two_stacks(p: P, xs: list[int]) -> Any:
    ops, vals = [], []
    prec = {5: 1, 6: 2}
    for x in xs:
        if x in prec:
            while ops and prec[ops[-1]] >= prec[x] and len(vals) >= 2:
                o = ops.pop()
                b, a = vals.pop(), vals.pop()
                vals.append(("op", a[1] + b[1] * o))
            ops.append(x)
        else:
            vals.append(("n", x))
    return ops, vals


@ab.model
def closure_stack(p: P, xs: list[int]) -> Any:
    stack = []
    arcs = []

    def push(x):
        stack.append((x, p.emb[x]))

    def reduce():
        a, g = stack.pop()
        b, h = stack.pop()
        arcs.append((a, b))
        stack.append((b, g + h))

    for x in xs:
        while len(stack) > 1 and stack[-1][0] > x:
            reduce()
        push(x)
    return arcs, [a for a, _ in stack]


@ab.model
def match_stack(p: P, xs: list[int]) -> Any:
    stack = []
    for x in xs:
        match stack:
            case [*rest, (a, h), (b, g)] if a + b < x + 4:
                stack = rest + [(x, (h + g) @ p.w)]
            case [*rest, (a, h)]:
                stack = rest + [(a, h), (x, p.emb[x])]
            case _:
                stack = [(x, p.b)]
    return [a for a, _ in stack], [h for _, h in stack]


MODELS = [
    shift_reduce,
    shift_reduce_objects,
    brackets,
    undo_log,
    parser_class,
    parser_log,
    dfs_colors,
    tree_from_brackets,
    two_stacks,
    closure_stack,
    match_stack,
]
