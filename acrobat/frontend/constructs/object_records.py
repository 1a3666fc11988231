"""Convert objects whose fields change (constructs/local_objects.py) to records and back, and rename
their fields."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, Type
from ..context import FunctionContext
from ..places import item_type
from ..registry import expression
from ..scope import COLLECTIONS, ITEMS, Env
from .changed_parameters import is_own
from .copies import alone
from .listed_objects import ListedObject
from .plain_records import class_of, fresh_fields, new_object, parts_of


class Snapshot(ast.expr):
    """The current values of the fields of an object that is not changed afterwards, or of one that
    is copied."""

    _fields = ("fields",)
    fields: list[ast.Name]
    cls: type
    is_copy: bool


@expression(Snapshot)
def snapshot(ctx: FunctionContext, node: Snapshot, env: Env) -> T.Atom:
    """`return state`: the object is not changed afterwards."""
    names = tuple(f.id.rpartition(".")[2] for f in node.fields)
    own = {n for n, f in zip(names, node.fields, strict=True) if is_own(f.id, env)}
    owned = set(env.owned)
    atoms = tuple(ctx.expression(f, env) for f in node.fields)
    if node.is_copy:
        env.owned = owned
        own |= alone(ctx, {n: a.type for n, a in zip(names, atoms, strict=True)})
    return new_object(ctx, node, node.cls, names, atoms, own)


class Opened(ast.expr):
    """An object returned by a function: its fields become names, since they change here."""

    _fields = ("value", "fields")
    value: ast.expr
    fields: list[ast.Name]
    cls: type


@expression(Opened)
def opened(ctx: FunctionContext, node: Opened, env: Env) -> T.Atom:
    """`state = first_state(x)`, and `state.push(y)` later on."""
    record = ctx.expression(node.value, env)
    t = record.type
    if not isinstance(record, T.Var) or class_of(ctx, t) is not node.cls:
        ctx.fail(
            "AC015",
            node,
            f"fields of a {t} change here, whose values cannot be changed",
            f"one that this function makes itself, `{node.cls.__name__}(...)`",
        )
    own: frozenset[str] | None
    parts = parts_of(ctx, node, record)
    if isinstance(node.value, ListedObject):
        rebound = ((f, p.type) for f, p in parts.items() if f in node.value.rebound)
        own = frozenset(f for f, i in rebound if _is_flat(i))
    else:
        own = fresh_fields(ctx, node.value, record)
    if own is None:
        ctx.fail(
            "AC030",
            node,
            f"this {node.cls.__name__}, whose fields change, may be known by another name",
            f"one of its own, `copy.deepcopy(x)` or `{node.cls.__name__}(...)`",
        )
    for target in node.fields:
        name = target.id.rpartition(".")[2]
        env.names[target.id] = part = parts[name]
        env.lent.pop(target.id, None)
        env.owned -= {target.id, target.id + ITEMS}
        if isinstance(part.type, COLLECTIONS) and name in own:
            env.owned |= {target.id, target.id + ITEMS}
    return record


def _is_flat(t: Type) -> bool:
    """Whether `t` is a list or a dict without lists and dicts in it."""
    return isinstance(t, COLLECTIONS) and not isinstance(item_type(t), COLLECTIONS)


class Renamed(ast.expr):
    """An object whose fields were computed from those of the previous object of its name."""

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
