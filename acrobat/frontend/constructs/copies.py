"""`copy.deepcopy(x)` and `copy.copy(x)`: values do not change, so copies matter only for lists,
dicts and records, which may be changed under their new names."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from ...ir import typed as T
from ...ir.types import DataRef, DictType, ListType, QueueType, RecordType, SetType, Type
from ..context import FunctionContext
from ..escaping import item_of, may_hold_list, may_share
from ..frozen_lists import as_int_array
from ..registry import Arity, function
from ..scope import COLLECTIONS, ITEMS, Env
from ..syntax import mark_fresh, mark_fresh_items, owner_name
from ..written import own_list, placed
from .int_arrays import is_int_array
from .plain_records import class_of, new_object, parts_of
from .sequences import listed


@function(copy.deepcopy, Arity(1, 1))
def deep_copy(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`copy.deepcopy(state)`: nothing else refers to its lists."""
    source = node.args[0]
    apart = _has_items_apart(source, env)
    made = shallow_copy(ctx, node, env)
    if apart and isinstance(source, ast.Name) and isinstance(made.type, COLLECTIONS):
        mark_fresh_items(node)
        env.owned |= {source.id, source.id + ITEMS}  # as before: the copy has lists of its own
    if isinstance(made, T.Var) and _is_object(ctx, made.type):
        ctx.fresh_records[made.number] = alone(ctx, _types(ctx, made.type))
    return made


def _has_items_apart(source: ast.expr, env: Env) -> bool:
    """Whether each list or dict in what a name stands for has only this one place there: one that
    had two would have two in a copy."""
    if not isinstance(source, ast.Name) or not {source.id, source.id + ITEMS} <= env.owned:
        return False
    return not any(source.id + ITEMS in items for items in env.lent.values())


def alone(ctx: FunctionContext, fields: Mapping[str, Type]) -> frozenset[str]:
    """The fields of a deep copy that share nothing with its other fields. Two fields of one type
    may be the same list in the original, and are then the same list in the copy."""
    return frozenset(
        name
        for name, own in fields.items()
        if isinstance(own, COLLECTIONS)
        and not any(may_share(ctx, other, own) for n, other in fields.items() if n != name)
    )


def _is_object(ctx: FunctionContext, t: Type) -> bool:
    return isinstance(t, RecordType) or (isinstance(t, DataRef) and class_of(ctx, t) is not None)


def _types(ctx: FunctionContext, t: Type) -> dict[str, Type]:
    if isinstance(t, DataRef):
        return dict(ctx.builder.declarations.datas[t.name].fields)
    assert isinstance(t, RecordType)
    return dict(zip(t.fields, t.items, strict=True))


@function(own_list, Arity(1, 1))
def own_list_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """A copy of a list or dict; anything else as it is."""
    (source,) = node.args
    t = ctx.peek(source, env).type
    changes = isinstance(t, COLLECTIONS) and not (isinstance(t, ListType) and t.frozen)
    return shallow_copy(ctx, node, env) if changes else ctx.expression(source, env)


@function(copy.copy, Arity(1, 1))
def shallow_copy(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`copy.copy(xs)`."""
    (source,) = node.args
    value = ctx.peek(source, env)
    if isinstance(value.type, ListType):
        mark_fresh(node)
        items = listed(ctx, source, env)
        return as_int_array(items) if is_int_array(value) else items
    if isinstance(value.type, (SetType, QueueType)):
        mark_fresh(node)
        if may_hold_list(item_of(value.type)):
            env.hand_out(owner_name(source))
        return value
    if isinstance(value.type, DictType):
        mark_fresh(node)
        made = ast.Call(ast.Constant(dict), [source], [])  # type: ignore[arg-type]
        return ctx.expression(placed(made, node), env)
    if not isinstance(value, T.Var) or not _is_object(ctx, value.type):
        return value
    parts = parts_of(ctx, node, value)
    cls = class_of(ctx, value.type)
    assert cls is not None
    return new_object(ctx, node, cls, tuple(parts), tuple(parts.values()))
