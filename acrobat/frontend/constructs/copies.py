"""`copy.deepcopy(x)` and `copy.copy(x)`: values do not change, so copies matter only for lists,
dicts and records, which may be changed under their new names."""

from __future__ import annotations

import ast
import copy

from ...ir import typed as T
from ...ir.types import DictType, ListType, NamedTupleType, RecordType
from ..context import FunctionContext
from ..escaping import may_share
from ..registry import Arity, function
from ..scope import COLLECTIONS, Env
from ..syntax import mark_fresh
from ..written import placed
from .plain_records import new_record
from .sequences import listed


@function(copy.deepcopy, Arity(1, 1))
def deep_copy(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`copy.deepcopy(state)`: nothing else refers to its lists."""
    made = shallow_copy(ctx, node, env)
    if isinstance(made, T.Var) and isinstance(made.type, RecordType):
        ctx.fresh_records[made.number] = alone(ctx, made.type)
    return made


def alone(ctx: FunctionContext, t: NamedTupleType) -> frozenset[str]:
    """The fields of a deep copy that share nothing with its other fields. Two fields of one type
    may be the same list in the original, and are then the same list in the copy."""
    pairs = list(zip(t.fields, t.items, strict=True))
    return frozenset(
        name
        for name, own in pairs
        if isinstance(own, COLLECTIONS)
        and not any(may_share(ctx, other, own) for n, other in pairs if n != name)
    )


@function(copy.copy, Arity(1, 1))
def shallow_copy(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`copy.copy(xs)`."""
    (source,) = node.args
    value = ctx.peek(source, env)
    if isinstance(value.type, ListType):
        mark_fresh(node)
        return listed(ctx, source, env)
    if isinstance(value.type, DictType):
        mark_fresh(node)
        made = ast.Call(ast.Constant(dict), [source], [])  # type: ignore[arg-type]
        return ctx.expression(placed(made, node), env)
    if not isinstance(value, T.Var) or not isinstance(value.type, RecordType):
        return value
    parts = tuple(
        ctx.let(T.GetItem(value, i), t, node, name)
        for i, (name, t) in enumerate(zip(value.type.fields, value.type.items, strict=True))
    )
    return new_record(ctx, node, value.type, parts)
