"""Fields of dataclasses and named tuples, as parameters of the calls that make their objects."""

from __future__ import annotations

import ast
import collections
import dataclasses
import enum
import types
from typing import Any

from ...lang.hints import UnreadableHint, resolve_class_hints
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..inferred_hints import is_part_open
from ..parameters import NO_DEFAULT, Parameter
from ..written import known
from .arguments import given_arguments


def parameters_of(ctx: FunctionContext, node: ast.Call, cls: Any) -> list[Parameter]:
    """The parameters of a dataclass or a NamedTuple. If a hint leaves a type
    open, the argument determines it."""
    if hasattr(cls, "_fields"):
        defaults = {n: cls._field_defaults.get(n, NO_DEFAULT) for n in cls._fields}
        words: dict[str, bool] = dict.fromkeys(cls._fields, True)
    else:
        fields = [f for f in dataclasses.fields(cls) if f.init]
        missing = dataclasses.MISSING
        defaults = {
            f.name: f.default_factory
            if f.default_factory is not missing
            else NO_DEFAULT
            if f.default is missing
            else f.default
            for f in fields
        }
        words = {f.name: not f.kw_only for f in fields}
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        hints = {}  # none of them can be read
    found: list[Parameter] = []
    for name, default in defaults.items():
        hint = hints.get(name)
        wanted = None
        if hint is not None and not is_part_open(ctx.builder.declarations, hint):
            try:
                wanted = ctx.builder.declarations.type_of(hint)
            except BadHint as error:
                ctx.fail("AC004", node.func, f"{cls.__name__}.{name}: {error}", error.hint)
        found.append(Parameter(name, wanted, default, positional=words[name]))
    return found


def fields_of_call(
    ctx: FunctionContext, node: ast.Call, cls: Any
) -> list[tuple[str, Any, ast.expr]]:
    """The fields of a dataclass in the call `Config(stack=[])`, with their hints (None for one that
    cannot be read) and the expressions of their values, in the order of their evaluation."""
    known = {p.name: p for p in parameters_of(ctx, node, cls)}
    given = given_arguments(ctx, node, cls.__name__, list(known.values()))
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        hints = {}
    fields = {f.name: f for f in dataclasses.fields(cls)}
    names = dict.fromkeys((*given, *fields))
    return [(n, hints.get(n), given.get(n) or default_of(ctx, node, cls, fields[n])) for n in names]


def default_of(
    ctx: FunctionContext, node: ast.Call, cls: type, field: dataclasses.Field[Any]
) -> ast.expr:
    """An expression of a field's default, made anew for each object."""
    made = field.default_factory
    if isinstance(made, type):
        return ast.Call(ast.Constant(made), [], [])
    empty = made() if isinstance(made, types.FunctionType) else None
    if type(empty) is collections.deque and not empty:  # `lambda: deque(maxlen=8)`
        bound = ast.keyword("maxlen", ast.Constant(empty.maxlen))
        return ast.Call(ast.Constant(collections.deque), [], [bound])  # type: ignore[arg-type]
    default = _written(field.default)
    if default is not None:
        return default
    ctx.fail(
        "AC016",
        node,
        f"{cls.__name__} lacks {field.name}, whose default is none that a model can make",
        f"`{cls.__name__}(..., {field.name}=...)`",
    )


def _written(value: Any) -> ast.expr | None:
    """An expression of a default; None if there is none."""
    if value is None or isinstance(value, (bool, int, float, str, enum.Enum)):
        return known(value)
    if not isinstance(value, tuple):
        return None
    parts = [w for v in value if (w := _written(v)) is not None]
    if len(parts) < len(value):
        return None
    named = hasattr(type(value), "_fields")
    return ast.Call(known(type(value)), parts, []) if named else ast.Tuple(parts, ast.Load())
