"""`copy.deepcopy(x)` and `copy.copy(x)`: values do not change, so that copies matter for lists and
records alone, which their new names may change."""

from __future__ import annotations

import ast
import copy

from ...ir import typed as T
from ...ir.types import DictType, ListType, NamedTupleType
from ..context import FunctionContext
from ..registry import Arity, function
from ..scope import Env
from ..syntax import mark_fresh
from .changed_parameters import placed
from .sequences import listed


@function(copy.deepcopy, Arity(1, 1))
def deep_copy(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`copy.deepcopy(state)`: its lists are its own."""
    made = shallow_copy(ctx, node, env)
    if isinstance(made, T.Var) and isinstance(made.type, NamedTupleType):
        ctx.fresh_records[made.number] = frozenset(made.type.fields)
    return made


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
    if not isinstance(value, T.Var) or not isinstance(value.type, NamedTupleType):
        return value
    parts = tuple(
        ctx.let(T.GetItem(value, i), t, node, name)
        for i, (name, t) in enumerate(zip(value.type.fields, value.type.items, strict=True))
    )
    return ctx.let(T.MakeTuple(parts), value.type, node, "record")
