"""Objects whose fields change (constructs/local_objects.py) as records, records as such objects,
and the names of their fields."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, NamedTupleType
from ..context import FunctionContext
from ..registry import expression
from ..scope import COLLECTIONS, ITEMS, Env
from .plain_records import fresh_fields, is_own


class Snapshot(ast.expr):
    """An object that nobody changes afterwards, or a copy of one: the values that its fields have
    by then."""

    _fields = ("fields",)
    fields: list[ast.Name]
    cls: type
    is_copy: bool


@expression(Snapshot)
def snapshot(ctx: FunctionContext, node: Snapshot, env: Env) -> T.Atom:
    """`return state`: nobody changes it afterwards."""
    names = tuple(f.id.rpartition(".")[2] for f in node.fields)
    own = frozenset(n for n, f in zip(names, node.fields, strict=True) if is_own(f.id, env))
    owned = set(env.owned)
    atoms = tuple(ctx.expression(f, env) for f in node.fields)
    if node.is_copy:
        env.owned, own = owned, frozenset(names)
    declared = ctx.builder.declarations.plain(node.cls)
    t = NamedTupleType(tuple(a.type for a in atoms), declared, names)
    made = ctx.let(T.MakeTuple(atoms), t, node, "record")
    ctx.fresh_records[made.number] = own
    return made


class Opened(ast.expr):
    """An object that a function has returned: its fields become names, since they change."""

    _fields = ("value", "fields")
    value: ast.expr
    fields: list[ast.Name]
    cls: type


@expression(Opened)
def opened(ctx: FunctionContext, node: Opened, env: Env) -> T.Atom:
    """`state = first_state(x)`, and `state.push(y)` later on."""
    record = ctx.expression(node.value, env)
    declared = ctx.builder.declarations.plain(node.cls)
    t = record.type
    if not isinstance(record, T.Var) or not isinstance(t, NamedTupleType) or t.name != declared:
        ctx.fail(
            "AC015",
            node,
            f"fields of a {t} change here, whose values cannot be changed",
            f"one that this function makes itself, `{node.cls.__name__}(...)`",
        )
    own = fresh_fields(ctx, record)
    for target in node.fields:
        name = target.id.rpartition(".")[2]
        i = t.fields.index(name)
        env.names[target.id] = part = ctx.let(T.GetItem(record, i), t.items[i], node, name)
        env.lent.pop(target.id, None)
        env.owned -= {target.id, target.id + ITEMS}
        if isinstance(part.type, COLLECTIONS) and name in own:
            env.owned |= {target.id, target.id + ITEMS}
    return record


class Renamed(ast.expr):
    """An object whose fields were computed from those of another of its name."""

    _fields = ("sources", "fields")
    sources: list[ast.Name]
    fields: list[ast.Name]


@expression(Renamed)
def renamed(ctx: FunctionContext, node: Renamed, env: Env) -> T.Atom:
    """`state = State(state.n + 1, [*state.stack])`."""
    value: T.Atom = T.Const(True, BOOL)
    for source, target in zip(node.sources, node.fields, strict=True):
        owned = {own for own in ("", ITEMS) if source.id + own in env.owned}
        value = env.names[target.id] = ctx.expression(source, env)
        env.lent.pop(target.id, None)
        env.owned -= {target.id, target.id + ITEMS}
        env.owned |= {target.id + own for own in owned}
        del env.names[source.id]
    return value
