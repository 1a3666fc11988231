"""`len(x)`."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ...ir.types import (
    ANY,
    INT,
    NO_TUPLES,
    TEXT,
    DictType,
    KeyedType,
    ListType,
    QueueType,
    RowsType,
    StackType,
    TensorType,
    TextType,
    TupleType,
)
from ..context import FunctionContext
from ..emit import host_op, length
from ..presence import not_none
from ..registry import Arity, function
from ..rows import count
from ..scope import Env
from ..sizes import size_as_number
from ..stacks import is_of_instance, size_of_stack
from ..weight_parts import in_parts
from .by_member import all_raw, by_member
from .lookups import large
from .special_methods import length_by_method


@function(len, Arity(1, 1))
def len_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`len(xs)` of a list; for a tensor, its first size."""
    (source,) = node.args
    found = large(ctx, source, env)
    if found is not None:
        return T.Const(len(found), INT)
    table = ctx.static(source, env)
    if isinstance(table, np.ndarray) and table.ndim:
        return T.Const(len(table), INT)
    items = in_parts(ctx, source, not_none(ctx, source, ctx.peek(source, env), env))
    if isinstance(items, T.Var) and all_raw(ctx, items, TupleType, ListType, TextType):
        return by_member(ctx, node, items, lambda inside: _length(ctx, node, source, inside))
    return _length(ctx, node, source, items)


def _length(ctx: FunctionContext, node: ast.Call, source: ast.expr, items: T.Atom) -> T.Atom:
    if isinstance(items.type, RowsType) and items.type.dims[0] == ANY:
        return count(ctx, node, items)
    if isinstance(items.type, StackType) and is_of_instance(items.type, 0):
        return size_of_stack(ctx, node, items, 0)
    if isinstance(items.type, TensorType) and items.type.dims:
        return size_as_number(ctx, node, items.type.dims[0])
    if isinstance(items.type, TupleType) and not isinstance(items.type, NO_TUPLES):
        return T.Const(len(items.type.items), INT)
    if isinstance(items.type, KeyedType):
        return T.Const(len(items.type.keys), INT)
    if isinstance(items.type, DictType) and isinstance(items, T.Var):
        at = int(isinstance(items.type, QueueType))
        items = ctx.let(T.GetItem(items, at), items.type.items[at], node, "keys")
    if items.type == TEXT:
        return host_op(ctx, "str.len", (items,), node)
    if not isinstance(items.type, ListType):
        return length_by_method(ctx, source, items)
    return length(ctx, items, node)
