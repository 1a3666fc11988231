"""`dataclasses.replace` and named tuples."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ...ir import typed as T
from ...ir.types import DataRef, NamedTupleType, Type
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..parameters import NO_DEFAULT, Parameter
from ..pattern_tree import members
from ..plain_classes import open_fields
from ..plain_data import sets_itself
from ..registry import function, method
from ..scope import Env, Recover
from .arguments import arguments, given_arguments
from .pattern_tests import field_of


def named_tuple(ctx: FunctionContext, node: ast.Call, cls: Any, env: Env) -> T.Var:
    """`State(h, c)` of a NamedTuple."""
    try:
        t = ctx.builder.declarations.type_of(cls)
    except BadHint as error:
        ctx.fail("AC004", node.func, str(error), error.hint)
    assert isinstance(t, NamedTupleType)
    defaults = cls._field_defaults
    parameters = [
        Parameter(n, i, defaults.get(n, NO_DEFAULT)) for n, i in zip(t.fields, t.items, strict=True)
    ]
    given = given_arguments(ctx, node, t.name, parameters)
    atoms = arguments(ctx, node, t.name, parameters, given, env)
    return _made(ctx, node, t, atoms)


@method(NamedTupleType, "_replace")
def replaced_parts(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Var:
    """`state._replace(h=h)`."""
    t = receiver.type
    assert isinstance(t, NamedTupleType) and isinstance(receiver, T.Var)
    kept = [
        ctx.let(T.GetItem(receiver, i), part, node, name)
        for i, (name, part) in enumerate(zip(t.fields, t.items, strict=True))
    ]
    cls = ctx.builder.declarations.records.get(t.name)
    floats_open = ctx.builder.declarations.floats_open
    left_open = open_fields(cls, floats_open) if cls is not None else frozenset()
    parameters = [
        dataclasses.replace(p, type=None) if p.name in left_open else p
        for p in _parameters(t.fields, t.items, kept)
    ]
    given = given_arguments(ctx, node, "_replace", parameters)
    atoms = arguments(ctx, node, t.name, parameters, given, env)
    if left_open:
        items = tuple(i if a is None else a.type for i, a in zip(t.items, atoms, strict=True))
        t = dataclasses.replace(t, items=items)
    return _made(ctx, node, t, atoms)


def _made(
    ctx: FunctionContext, node: ast.Call, t: NamedTupleType, atoms: list[T.Atom | None]
) -> T.Var:
    if None in atoms:
        raise Recover
    return ctx.let(T.MakeTuple(tuple(a for a in atoms if a is not None)), t, node, "state")


@function(dataclasses.replace)
def replace(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`dataclasses.replace(x, word=3)`."""
    if len(node.args) != 1:
        ctx.fail(
            "AC016", node, "replace takes one value, and fields by name", "`replace(x, word=3)`"
        )
    (source,) = node.args
    value = ctx.expression(source, env)
    if (
        isinstance(value.type, NamedTupleType)
        and value.type.name in ctx.builder.declarations.records
    ):
        _check_not_initialised(ctx, node, ctx.builder.declarations.records[value.type.name])
        call = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
        new = replaced_parts(ctx, call, value, env)
        assert isinstance(new, T.Var)
        ctx.fresh_records[new.number] = frozenset()  # a new object that shares the other's lists
        return new
    if not isinstance(value, T.Var) or not isinstance(value.type, DataRef):
        several = len(members(value.type)) > 1
        ctx.fail(
            "AC017",
            source,
            f"replace of a {value.type}",
            f"`match {ast.unparse(source)}:` with a case for each"
            if several
            else "a value of an @ab.data class",
        )
    name = value.type.name
    _check_not_initialised(ctx, node, ctx.builder.declarations.datas[name].cls)
    fields = ctx.builder.declarations.datas[name].fields
    changed = {k.arg for k in node.keywords}
    known = env.narrowed.get(value, {})
    kept = [
        value if n in changed else known.get(n) or field_of(ctx, node, value, name, n)
        for n, _ in fields
    ]
    parameters = _parameters([n for n, _ in fields], [t for _, t in fields], kept)
    call = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
    given = given_arguments(ctx, call, "replace", parameters)
    atoms = arguments(ctx, call, name, parameters, given, env)
    if None in atoms:
        raise Recover
    made = T.Construct(name, tuple(a for a in atoms if a is not None))
    return ctx.let(made, value.type, node)


def _check_not_initialised(ctx: FunctionContext, node: ast.Call, cls: type) -> None:
    """Refuse a copy that Python makes by running code of the class once more. A copy that the
    compiler has written stands for the change of a field, which runs none."""
    itself = sets_itself(cls)
    if itself is not None and not isinstance(node.func, ast.Constant):
        name = cls.__name__
        ctx.fail("AC012", node, f"{itself}, which `replace` runs again", f"`{name}(...)`")


def _parameters(names: Any, types: Any, kept: list[T.Var]) -> list[Parameter]:
    """Parameters for parts that are given by name, or else keep their values."""
    found: list[tuple[str, Type, T.Var]] = list(zip(names, types, kept, strict=True))
    return [Parameter(n, t, v, positional=False) for n, t, v in found]
