"""Loops over constants, spelled out as loops over tuples, which are unrolled:

for name, act in LAYERS:                     for name, act in (("a", "tanh"), ("b", "relu")):
for i, name in enumerate(["q", "k"]):        for i, name in enumerate(("q", "k")):
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...ir import typed as T
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..emit import known_items
from ..scope import Env
from ..sizes import constant
from ..written import placed
from .weight_fields import known_text

_SCALARS = (str, int, float, bool)


@dataclass(slots=True)
class Spelled:
    """What a loop runs over, and its targets that get strings, and numbers."""

    items: ast.expr
    texts: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    mixed: bool = False  # whether an item's part has another type than that of other items


def spelled(ctx: FunctionContext, target: ast.expr, items: ast.expr, env: Env) -> Spelled | None:
    """A loop over constants, or over such a list beside others; None if it is no such loop."""
    match items, target:
        case ast.Call(func, [inner, *_]), ast.Tuple([ast.Name(index), each]) if (
            ctx.static(func, env) is enumerate
        ):
            found = spelled(ctx, each, inner, env)
            if found is None:
                return None
            found.numbers.add(index)
            return _with(found, items, [found.items, *items.args[1:]])
        case ast.Call(func, [inner], []), _ if ctx.static(func, env) is reversed:
            found = spelled(ctx, target, inner, env)
            return None if found is None else _with(found, items, [found.items])
        case ast.Call(func, args), ast.Tuple(targets) if ctx.static(func, env) is zip and len(
            args
        ) == len(targets):
            parts = [spelled(ctx, t, a, env) for t, a in zip(targets, args, strict=True)]
            some = [p for p in parts if p is not None]
            if not some:
                return None
            whole = Spelled(items)
            for part in some:
                whole.texts |= part.texts
                whole.numbers |= part.numbers
                whole.mixed |= part.mixed
            new = [a if p is None else p.items for a, p in zip(args, parts, strict=True)]
            return _with(whole, items, new)
    values = constants_of(ctx, items, env)
    if not values:
        return None
    made = Spelled(placed(_literal(values), items))
    for name, value in _bound(target, values[0]):
        (made.texts if isinstance(value, str) else made.numbers).add(name)
    rows = [v if isinstance(v, (tuple, list)) else (v,) for v in values]
    columns = zip(*rows, strict=True) if len({len(r) for r in rows}) == 1 else rows
    made.mixed = any(len({type(v) for v in column}) > 1 for column in columns)
    return made if made.texts or made.numbers else None


def constants_of(ctx: FunctionContext, node: ast.expr, env: Env) -> list[Any] | None:
    """The items of a list, tuple, string or range that is written out, or known when the model is
    compiled; None if they are not strings, numbers and tuples of these, or too many."""
    found: Any = ctx.static(node, env)
    match node:
        case ast.Name(name) if isinstance(local := env.names.get(name), T.Var):
            items = known_items(ctx, local)
            found = None if items is None else [_constant(i) for i in items]
        case ast.List(elements) | ast.Tuple(elements):
            found = [_written(e) for e in elements]
        case ast.Constant(str(text)):
            found = list(text)
        case ast.Call(ast.Attribute(owner, "split"), args, []):
            whole = known_text(ctx, owner, env)
            if whole is not None and all(isinstance(a, ast.Constant) for a in args):
                found = whole.split(*(_written(a) for a in args))
        case ast.Call(func, args, []) if ctx.static(func, env) is range and 0 < len(args) < 4:
            bounds = [constant(ctx, a, env) for a in args]
            known = [b for b in bounds if b is not None]
            if len(known) < len(bounds) or 0 in known[2:] or len(range(*known)) > MAX_UNROLLED:
                return None
            found = list(range(*known))
    if not isinstance(found, (list, tuple)) or len(found) > MAX_UNROLLED:
        return None
    return list(found) if all(map(_is_constant, found)) else None


def _is_constant(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(v is None or type(v) in _SCALARS for v in value)
    return type(value) in _SCALARS


def _constant(atom: T.Atom) -> Any:
    if not isinstance(atom, T.Const):
        return None
    return str.__str__(atom.value) if isinstance(atom.value, str) else atom.value


def _written(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Tuple(elements) | ast.List(elements):
            return tuple(map(_written, elements))
    return None


def _literal(value: Any) -> ast.expr:
    if isinstance(value, (list, tuple)):
        return ast.Tuple([_literal(v) for v in value], ast.Load())
    return ast.Constant(value)


def _bound(target: ast.expr, value: Any) -> Iterator[tuple[str, Any]]:
    """The names of a target, with what the first item gives them."""
    match target:
        case ast.Name(name) if type(value) in _SCALARS:
            yield name, value
        case ast.Tuple(targets) | ast.List(targets) if isinstance(value, (tuple, list)) and len(
            targets
        ) == len(value):
            for each, part in zip(targets, value, strict=True):
                yield from _bound(each, part)


def _with(found: Spelled, items: ast.Call, args: list[ast.expr]) -> Spelled:
    found.items = ast.copy_location(ast.Call(items.func, args, items.keywords), items)
    return found
