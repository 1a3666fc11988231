"""Functions that take the fields of objects one by one, and return the fields that they change
(constructs/local_objects.py)."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import Any

from ..context import FunctionContext
from ..function_values import Closure
from ..source import Source
from ..syntax import parameters
from ..written import copied
from .array_making import VIEWS
from .changed_results import OF_FIELDS, has_result, return_too
from .field_changes import FieldChanges, Objects, fields_of, key_of

# An attribute of a function's tree: the parameters that are objects, until its body is rewritten.
_OBJECTS = "_acrobat_objects"


@dataclasses.dataclass(frozen=True, slots=True)
class WithFields:
    """A function that takes the fields of its objects; `changed` are the fields that it returns, as
    (parameter, field). `has_value`: it also has a result."""

    closure: Closure
    changed: tuple[tuple[str, str], ...]
    has_value: bool


def objects_given(tree: ast.FunctionDef) -> dict[str, type]:
    """The parameters that a function gets as fields, before its body is rewritten."""
    found: dict[str, type] = getattr(tree, _OBJECTS, {})
    return found


def given_objects(tree: ast.FunctionDef) -> dict[str, type]:
    """The parameters that a function gets as fields; none from the second call on, because the
    first caller rewrites the author's body."""
    found = objects_given(tree)
    setattr(tree, _OBJECTS, {})
    return found


def changes_fields(
    ctx: FunctionContext, function: Any, source: Closure, objects: Objects
) -> set[tuple[str, str]]:
    """The (parameter, field) pairs that a function changes."""
    return FieldChanges(ctx, ctx.builder.field_changes).of(function, source, objects)


def changed_in(ctx: FunctionContext, closure: Closure, objects: Objects) -> set[tuple[str, str]]:
    """The (object, field) pairs that the statements of a function change."""
    changes = FieldChanges(ctx, ctx.builder.field_changes)
    return changes.in_body(closure, objects, closure.tree.body)


def function_with_fields(
    ctx: FunctionContext, function: Any, source: Closure, objects: Objects
) -> WithFields:
    """`function` with its parameters `objects` taken apart into their fields."""
    key = key_of(function, objects)
    known: WithFields | None = ctx.builder.with_fields.get(key)
    if known is not None:
        return known
    found = changes_fields(ctx, function, source, objects)
    fields = [(p, f) for p, cls in objects.items() for f in fields_of(ctx, cls)]
    changed = tuple(pair for pair in fields if pair in found)
    ctx.builder.shared_fields |= {
        (objects[p], f) for p, f in _returned(source.tree) if p in objects
    }
    tree = copied(source.tree)
    setattr(tree, _OBJECTS, dict(objects))
    _take_apart(tree, fields, objects)
    if changed:
        return_too(tree, tuple(f"{p}.{f}" for p, f in changed))
        setattr(tree, OF_FIELDS, True)
    elif not any(isinstance(n, ast.Return) and n.value for s in tree.body for n in ast.walk(s)):
        _return_none(tree)
    own = Source(tree, source.source.file, source.source.line, source.source.lines)
    closure = dataclasses.replace(source, tree=tree, source=own, owner=None)
    made = WithFields(closure, changed, not changed or has_result(tree))
    ctx.builder.with_fields[key] = made
    return made


def _returned(tree: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The fields, as (name, field), that a function may return as they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _parts(node.value)


def _parts(node: ast.expr) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Attribute(ast.Name(name), attr):
            yield name, attr
        case ast.Tuple(elements) | ast.List(elements) | ast.BoolOp(values=elements):
            for element in elements:
                yield from _parts(element)
        case ast.IfExp(_, body, orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case ast.Call(func, args, keywords) if not isinstance(func, ast.Attribute) or (
            func.attr in VIEWS
        ):  # `Pair(self.h, self.c)`; but the result of `ops.tanh(self.h)` is new
            for arg in (*args, *(k.value for k in keywords)):
                yield from _parts(arg)


def _return_none(tree: ast.FunctionDef) -> None:
    """Have a function that changes nothing and returns nothing return None."""
    returns = [n for stmt in tree.body for n in ast.walk(stmt) if isinstance(n, ast.Return)]
    if not isinstance(tree.body[-1], ast.Return):
        returns.append(ast.copy_location(ast.Return(), tree.body[-1]))
        tree.body.append(returns[-1])
    for node in returns:
        node.value = ast.copy_location(ast.Constant(None), node)


def _take_apart(tree: ast.FunctionDef, fields: list[tuple[str, str]], objects: Objects) -> None:
    """Replace the parameters `objects` by keyword parameters, one for each of their fields."""
    arguments = tree.args
    places = {a.arg: a for a in parameters(tree)}
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    kept = [
        d
        for a, d in zip(positional[first:], arguments.defaults, strict=True)
        if a.arg not in objects
    ]
    words = [
        (a, d)
        for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if a.arg not in objects
    ]
    words += [(ast.copy_location(ast.arg(f"{p}.{f}"), places[p]), None) for p, f in fields]
    arguments.posonlyargs = [a for a in arguments.posonlyargs if a.arg not in objects]
    arguments.args = [a for a in arguments.args if a.arg not in objects]
    arguments.defaults = kept
    arguments.kwonlyargs = [a for a, _ in words]
    arguments.kw_defaults = [d for _, d in words]
