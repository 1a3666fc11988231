"""The tests that stand for `try` (`attempts`): whether an operation would raise."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DictType,
    KeyedType,
    ListType,
    QueueType,
    TensorType,
    TextType,
    TupleType,
)
from ..attempt_tests import divides, index_is_there, key_is_there, reads_as
from ..conditions import condition
from ..context import FunctionContext
from ..emit import host_op
from ..registry import Arity, function
from ..scope import Env
from ..written import placed
from .lookups import large

_TRUE = T.Const(True, BOOL)


@function(key_is_there, Arity(2, 2))
def key_is_there_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`key in owner`, if that is a dict, also one of weights."""
    owner, key = node.args
    known = large(ctx, owner, env) or ctx.static(owner, env)
    # Counters, and the other kinds of dicts, raise no KeyError.
    kind = type(ctx.peek(owner, env).type)
    if not isinstance(known, dict) and kind not in (DictType, KeyedType):
        return _TRUE
    return condition(ctx, placed(ast.Compare(key, [ast.In()], [owner]), node), env)


@function(index_is_there, Arity(2, 2))
def index_is_there_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`-len(owner) <= key < len(owner)`, if that is a list or the like."""
    owner, key = node.args
    known = large(ctx, owner, env) or ctx.static(owner, env)
    if isinstance(known, dict):
        return _TRUE
    if not isinstance(known, (list, tuple, str)):
        t = ctx.peek(owner, env).type
        listed = isinstance(t, (ListType, TensorType, TextType, QueueType))
        if not listed and type(t) is not TupleType:
            return _TRUE
    size = ast.Call(ast.Name("len", ast.Load()), [owner], [])
    test = ast.Compare(ast.UnaryOp(ast.USub(), size), [ast.LtE(), ast.Lt()], [key, size])
    return condition(ctx, placed(test, node), env)


@function(divides, Arity(1, 1))
def divides_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """Whether a number is not 0; a tensor divides in any case."""
    (divisor,) = node.args
    if ctx.peek(divisor, env).type not in (INT, FLOAT, BOOL):
        return _TRUE
    test = ast.Compare(divisor, [ast.NotEq()], [ast.Constant(0)])
    return condition(ctx, placed(test, node), env)


@function(reads_as, Arity(2, 2))
def reads_as_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """Whether a string reads as an int or a float; a number of another type is one."""
    kind, source = node.args
    value = ctx.peek(source, env)
    if value.type != TEXT:
        return _TRUE
    name = "int" if isinstance(kind, ast.Constant) and kind.value == "int" else "float"
    return host_op(ctx, f"reads as {name}", (value,), node)
