"""Conditions: values that decide where control flow goes, and what is true of a value."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    TEXT,
    DataRef,
    DictType,
    IntArrayType,
    ListType,
    MemberType,
    NothingType,
    OptionalType,
    QueueType,
    RecordType,
    TensorType,
    TextType,
    TupleType,
    Type,
    UnionType,
)
from .context import FunctionContext
from .decisions import is_mask, mask_holds
from .emit import ZERO, length
from .empty_lists import with_hint
from .narrowing import has_none
from .optional import content, is_there
from .pattern_tree import members
from .registry import TRUTHS
from .scope import Env
from .written import shown

_ONLY_TRUTH = "only_truth"  # an attribute of nodes of which only the truth is needed


def condition(ctx: FunctionContext, test: ast.expr, env: Env) -> T.Atom:
    """Whether `test` is true, a bool."""
    if isinstance(test, ast.BoolOp):
        setattr(test, _ONLY_TRUTH, True)
    return truth(ctx, test, ctx.peek(test, env))


def only_truth(node: ast.BoolOp) -> bool:
    """Whether only the truth of `a and b` matters, and not its value."""
    return getattr(node, _ONLY_TRUTH, False)


def truth(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom:
    """`bool(value)`, written as `node` in the source: whether a number is not 0, a list not
    empty."""
    handler = TRUTHS.get(type(value.type))
    by_method = handler(ctx, node, value) if handler is not None else None
    if by_method is not None:
        return by_method
    match value.type:
        case _ if value.type == BOOL:
            return value
        case _ if value.type == NONE:
            return T.Const(False, BOOL)
        case _ if value.type in (INT, FLOAT):
            zero = ZERO if value.type == INT else T.Const(0.0, FLOAT)
            return ctx.let(T.Scalar("!=", (value, zero)), BOOL, node, "b")
        case IntArrayType():
            instead = f"`len({shown(node)}) > 0`"
        case ListType(item=NothingType()):
            return T.Const(False, BOOL)  # nothing has been put into it
        case ListType():
            items = length(ctx, value, node)
            return ctx.let(T.Scalar("!=", (items, ZERO)), BOOL, node, "b")
        case DictType(items=parts) if isinstance(value, T.Var):
            at = int(isinstance(value.type, QueueType))
            return truth(ctx, node, ctx.let(T.GetItem(value, at), parts[at], node, "keys"))
        case NothingType():
            ctx.no_item("AC018", node, "the condition is an item of an empty list", with_hint(node))
            return T.Const(True, BOOL)
        case TensorType() if is_mask(value):
            return mask_holds(ctx, node, value)
        case TensorType():
            instead = "compare a number: `ops.item(x) > 0.5`"
        case TextType():
            return ctx.let(T.Scalar("not", (_is_empty(ctx, value, node),)), BOOL, node, "b")
        case MemberType():
            return T.Const(True, BOOL)
        case TupleType(items=items) if type(value.type) is TupleType:
            return T.Const(bool(items), BOOL)
        case OptionalType(items=(_, MemberType())) if isinstance(value, T.Var):
            return is_there(ctx, value, node)
        case OptionalType(items=(_, TupleType(items=(_, *_)) as item)) if isinstance(
            value, T.Var
        ) and _whole_is_true(ctx, item):
            return is_there(ctx, value, node)  # a tuple with parts is true
        case OptionalType() if isinstance(value, T.Var) and _has_truth(value.type.item):
            holds = truth(ctx, node, content(ctx, value, node))
            both = (is_there(ctx, value, node), holds)
            return ctx.let(T.Scalar("and", both), BOOL, node, "b")
        case UnionType() if has_none(value.type) and _always_true(ctx, value.type):
            missing = ctx.let(T.Scalar("is_none", (value,)), BOOL, node, "b")
            return ctx.let(T.Scalar("not", (missing,)), BOOL, node, "b")
        case _ if has_none(value.type):
            instead = "`is None`, or `match`"
        case _ if isinstance(value, T.Var) and value.number in ctx.found and _is_true(ctx, value):
            return T.Const(True, BOOL)
        case _:
            instead = "compare a number of it, such as `x.n > 0`"
    ctx.fail("AC018", node, f"the condition is a {value.type}", instead)


def _is_empty(ctx: FunctionContext, text: T.Atom, node: ast.expr) -> T.Var:
    return ctx.let(T.Scalar("==", (text, ctx.builder.text(""))), BOOL, node, "b")


def _has_truth(t: Type) -> bool:
    """Whether `truth` of a value of type `t` is defined and needs no tensor-dependent decision."""
    return t in (BOOL, INT, FLOAT, TEXT) or isinstance(t, (ListType, DictType))


def _is_true(ctx: FunctionContext, value: T.Var) -> bool:
    """Whether `value`, which is not None, is true in any case."""
    match value.type:
        case TupleType() as t:
            return _whole_is_true(ctx, t)
        case DataRef() | UnionType():
            return _always_true(ctx, value.type)
    return False


def _whole_is_true(ctx: FunctionContext, t: TupleType) -> bool:
    """Whether every tuple or object of type `t` is true."""
    if isinstance(t, RecordType):
        return not _defines_truth(ctx.builder.declarations.records[t.name])
    return bool(t.items) and not isinstance(t, DictType)


def _defines_truth(cls: type) -> bool:
    return hasattr(cls, "__bool__") or hasattr(cls, "__len__")


def _always_true(ctx: FunctionContext, t: Type) -> bool:
    """Whether data of type `t` is true unless it is None: no class defines its own truth."""
    classes = [ctx.builder.declarations.datas[m].cls for m in members(t) if m != "None"]
    return not any(map(_defines_truth, classes))
