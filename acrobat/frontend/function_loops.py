"""Loops over the functions of a dict, list or tuple beside something else, rewritten as loops over
its keys or indices:

    for name, move in MOVES.items():        for name in ("inc", "double"):
        n = move(n)                   ->        n = MOVES[name](n)

Also `zip(FS, xs)` and `enumerate(FS)`; and a dict of functions where only its keys count, as in
`sorted(MOVES)` and `"inc" in MOVES`, is the tuple of its keys.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any

from .constructs.function_tables import function_table
from .context import FunctionContext
from .scope import Env
from .syntax import names_assigned, parameters
from .written import copied, placed

_OF_KEYS = (list, tuple, set, len, sorted, min, max, enumerate, zip, reversed, iter)
_TABLES = (dict, list, tuple)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Key = int | float | str | bool


def with_function_loops(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such loops of a function, if it mentions a table of functions of the module or of a
    class."""
    tables = _Tables(ctx, names_assigned(tree.body) | {p.arg for p in parameters(tree)})
    if not any(tables.keys(n) for n in ast.walk(tree) if isinstance(n, (ast.Name, ast.Attribute))):
        return
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.For):
            _rewrite(tables, node, [node.body], after=tree)
        elif isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                _rewrite(tables, generator, [node], after=None)
    _AsKeys(tables).visit(tree)


class _Tables:
    """The tables of functions that expressions stand for."""

    def __init__(self, ctx: FunctionContext, own: Collection[str]) -> None:
        self._ctx, self._env, self._own = ctx, Env(), own

    def keys(self, node: ast.AST) -> tuple[_Key, ...] | None:
        """The keys or indices of the table that `node` stands for; None if it stands for none."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self._own:
            return None
        assert isinstance(node, (ast.Name, ast.Attribute))
        table = function_table(self._ctx, node, self._env)
        if table is None:
            return None
        keys = tuple(table) if isinstance(table, dict) else tuple(range(len(table)))
        return keys if all(isinstance(k, _Key) for k in keys) else None

    def dict_keys(self, node: ast.AST) -> tuple[_Key, ...] | None:
        """The same of a dict alone."""
        keys = self.keys(node)
        if keys is None:
            return None
        assert isinstance(node, (ast.Name, ast.Attribute))
        return keys if isinstance(function_table(self._ctx, node, self._env), dict) else None

    def calls(self, node: ast.AST, *functions: Any) -> bool:
        """Whether `node` calls one of these functions of Python."""
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        found = self._ctx.static(node.func, self._env)
        return any(found is f for f in functions)


def _rewrite(
    tables: _Tables, loop: ast.For | ast.comprehension, inside: Any, after: ast.AST | None
) -> None:
    """Replace the tables that a loop runs over by their keys, and their functions `inside` it."""
    given: dict[str, ast.expr] = {}
    found = _over_keys(tables, loop.iter, loop.target, given)
    if found is None or not given:
        return
    body = _Replaced(given)
    if after is not None and any(_assigns(after, name, loop) for name in given):
        return
    for part in inside:
        for k, node in enumerate(part if isinstance(part, list) else [part]):
            if isinstance(part, list):
                part[k] = body.visit(node)
            else:
                body.generic_visit(node)
    loop.iter, loop.target = found


def _over_keys(
    tables: _Tables, items: ast.expr, target: ast.expr, given: dict[str, ast.expr]
) -> tuple[ast.expr, ast.expr] | None:
    """What the loop runs over instead, and its targets; `given` gets, for names that stand for
    functions, what to write for them. None if there is nothing to do, or it cannot be done."""
    match items, target:
        case ast.Call(ast.Attribute(table, "items"), [], []), ast.Tuple([key, ast.Name(name)]):
            keys = tables.dict_keys(table)
            if keys is None or not isinstance(key, ast.Name):
                return None
            given[name] = _item(table, key.id)
            return _tuple(keys, items), key
        case ast.Call(ast.Attribute(table, "values"), [], []), ast.Name(name):
            keys = tables.dict_keys(table)
        case (ast.Name() | ast.Attribute()) as table, ast.Name(name):
            keys = None if tables.dict_keys(table) is not None else tables.keys(table)
        case ast.Call(args=[inner]), ast.Tuple([index, each]) if tables.calls(items, enumerate):
            found = _over_keys(tables, inner, each, given)
            if found is None:
                return None
            return _with(items, [found[0]]), _pair(target, [index, found[1]])
        case ast.Call(args=[inner]), _ if tables.calls(items, reversed, sorted, list, tuple):
            found = _over_keys(tables, inner, target, given)
            return None if found is None else (_with(items, [found[0]]), found[1])
        case ast.Call(args=args), ast.Tuple(targets) if tables.calls(items, zip):
            if len(args) != len(targets):
                return None
            both = [
                _over_keys(tables, a, t, given) or (a, t)
                for a, t in zip(args, targets, strict=True)
            ]
            return _with(items, [a for a, _ in both]), _pair(target, [t for _, t in both])
        case _:
            return None
    if keys is None:
        return None
    hidden = f"{name}, a key in {target.lineno}:{target.col_offset}"
    given[name] = _item(table, hidden)
    return _tuple(keys, items), placed(ast.Name(hidden, ast.Store()), target)


def _item(table: ast.expr, key: str) -> ast.expr:
    return ast.Subscript(table, ast.Name(key, ast.Load()), ast.Load())


def _tuple(keys: tuple[_Key, ...], node: ast.expr) -> ast.expr:
    return placed(ast.Tuple([ast.Constant(k) for k in keys], ast.Load()), node)


def _with(call: ast.expr, args: list[ast.expr]) -> ast.expr:
    assert isinstance(call, ast.Call)
    return ast.copy_location(ast.Call(call.func, args, []), call)


def _pair(target: ast.expr, parts: list[ast.expr]) -> ast.expr:
    return ast.copy_location(ast.Tuple(parts, ast.Store()), target)


def _assigns(tree: ast.AST, name: str, loop: ast.AST) -> bool:
    """Whether a function assigns or reads the name outside of a loop, or assigns it in the loop."""
    own = {id(n) for n in ast.walk(loop)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            target = id(node) in {id(n) for n in ast.walk(loop.target)}  # type: ignore[attr-defined]
            if not target and (id(node) not in own or not isinstance(node.ctx, ast.Load)):
                return True
    return False


class _Replaced(ast.NodeTransformer):
    """Writes something else for names that are read."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._given and isinstance(node.ctx, ast.Load):
            return placed(copied(self._given[node.id]), node)
        return node


class _AsKeys(ast.NodeTransformer):
    """Writes the keys of a dict of functions where only these count."""

    def __init__(self, tables: _Tables) -> None:
        self._keys: Callable[[ast.AST], tuple[_Key, ...] | None] = tables.dict_keys
        self._calls = tables.calls

    def _as_keys(self, node: ast.expr) -> ast.expr:
        keys = self._keys(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return node if keys is None else _tuple(keys, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(table, "keys"), [], []) if self._keys(table) is not None:
                return self._as_keys(table)
        plain = ast.Call(node.func, node.args, [])
        if self._calls(plain, *_OF_KEYS):
            node.args = [self._as_keys(a) for a in node.args]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ops[-1], (ast.In, ast.NotIn)):
            node.comparators[-1] = self._as_keys(node.comparators[-1])
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._as_keys(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._as_keys(node.iter)
        return node
