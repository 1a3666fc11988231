"""Slices with a name, `part = slice(a, b)`, whose bounds become variables:

    part = slice(i * n, i * n + n)          part: the start = i * n; ...
    q[:, part] @ k[:, part].T         ->    q[:, part: the start : part: the stop] @ ...

This is done if the name stands for nothing else and only selects items. Other slices are refused.
"""

from __future__ import annotations

import ast

from .context import FunctionContext
from .scope import Env
from .syntax import names_in, parameters, parents_of
from .written import copied, placed

_BOUNDS = ("the start", "the stop", "the step")


def with_slice_names(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the named slices of a function, and those written where they select."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _is_slice(ctx, n)]
    if not calls:
        return
    _OneByOne(set(map(id, calls))).visit(tree)
    parents = parents_of(tree)
    named: dict[str, list[ast.Assign]] = {}
    for call in calls:
        match parents[id(call)]:
            case ast.Assign([ast.Name(name)]) as made:
                named.setdefault(name, []).append(made)
    for name, stores in named.items():
        if _only_selects(tree, name, stores, parents):
            _Apart(name, stores).visit(tree)
    _Written(ctx).visit(tree)


def _is_slice(ctx: FunctionContext, node: ast.expr) -> bool:
    match node:
        case ast.Call(func, args, []):
            starred = any(isinstance(a, ast.Starred) for a in args)
            return 1 <= len(args) <= 3 and not starred and ctx.static(func, Env()) is slice
    return False


def _only_selects(
    tree: ast.FunctionDef, name: str, made: list[ast.Assign], parents: dict[int, ast.AST]
) -> bool:
    """Whether all that happens to a name is that slices are assigned to it, and that it selects."""
    if name in {
        p.arg for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) for p in parameters(n)
    }:
        return False
    for node in ast.walk(tree):
        if name in getattr(node, "names", ()):  # global, nonlocal
            return False
        if not isinstance(node, ast.Name) or node.id != name:
            continue
        parent = parents[id(node)]
        if isinstance(node.ctx, ast.Store):
            if parent not in made:
                return False
        elif isinstance(parent, ast.Tuple):
            whole = parents[id(parent)]
            if not isinstance(whole, ast.Subscript) or whole.slice is not parent:
                return False
        elif not isinstance(parent, ast.Subscript) or parent.slice is not node:
            return False
    return True


def _bounds(call: ast.expr) -> list[ast.expr]:
    """Start, stop and step of a call of `slice`."""
    assert isinstance(call, ast.Call)
    none = ast.Constant(None)
    if len(call.args) == 1:
        return [none, call.args[0], none]
    return [*call.args, none][:3]


class _OneByOne(ast.NodeTransformer):
    """Writes `a, b = slice(2), slice(2, 4)` as two assignments."""

    def __init__(self, calls: set[int]) -> None:
        self._calls = calls

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                names = {t.id for t in targets if isinstance(t, ast.Name)}
                read = names & names_in(node.value)
                apart = len(names) == len(targets) == len(values) and not read
                if apart and any(id(v) in self._calls for v in values):
                    pairs = zip(targets, values, strict=True)
                    return [placed(ast.Assign([t], v), node) for t, v in pairs]
        return node


class _Apart(ast.NodeTransformer):
    """Makes variables of the bounds that are not constants."""

    def __init__(self, name: str, made: list[ast.Assign]) -> None:
        self._name, self._made = name, {id(m) for m in made}
        # The bounds that are the same constant wherever the slice is made.
        columns = zip(*(_bounds(m.value) for m in made), strict=True)
        self._fixed = [
            b[0] if _constant(b[0]) and len(set(map(_constant, b))) == 1 else None for b in columns
        ]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if id(node) not in self._made:
            return self.generic_visit(node)
        there = [i for i in range(3) if self._fixed[i] is None]
        targets = [ast.Name(self._bound(i), ast.Store()) for i in there]
        values = [_bounds(node.value)[i] for i in there]
        if not there:
            return placed(ast.Pass(), node)
        if len(there) == 1:
            return placed(ast.Assign([targets[0]], values[0]), node)
        return placed(
            ast.Assign([ast.Tuple([*targets], ast.Store())], ast.Tuple(values, ast.Load())), node
        )

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self._name:
            return node
        parts = [
            ast.Name(self._bound(i), ast.Load()) if fixed is None else copied(fixed)
            for i, fixed in enumerate(self._fixed)
        ]
        return placed(ast.Slice(*(None if _is_none(part) else part for part in parts)), node)

    def _bound(self, i: int) -> str:
        return f"{self._name}: {_BOUNDS[i]}"


class _Written(ast.NodeTransformer):
    """Writes `x[slice(a, b)]` as `x[a:b]`."""

    def __init__(self, ctx: FunctionContext) -> None:
        self._ctx = ctx

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self._slice(e) for e in node.slice.elts]
        node.slice = self._slice(node.slice)
        return node

    def _slice(self, node: ast.expr) -> ast.expr:
        if not _is_slice(self._ctx, node):
            return node
        return placed(ast.Slice(*(None if _is_none(b) else b for b in _bounds(node))), node)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _constant(node: ast.expr) -> str:
    """The text of a constant; empty for other expressions."""
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return ast.unparse(node) if isinstance(number, ast.Constant) else ""
