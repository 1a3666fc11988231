"""Operators between numbers or truth values, and lists repeated: `n ** 2`, `a & b`, `[x] * n`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType
from ..context import FunctionContext
from ..emit import int_op, known_items, length, list_op
from ..registry import Arity, function
from ..scope import Env

_BITS = ("&", "|", "^", "<<", ">>")
_ON_TRUTH = {"&": "and", "|": "or", "^": "!="}


@function(pow, Arity(2, 2))
def pow_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`pow(x, y)`: `x ** y`."""
    base, exponent = node.args
    return ctx.expression(ast.copy_location(ast.BinOp(base, ast.Pow(), exponent), node), env)


def on_numbers(ctx: FunctionContext, op: str, a: T.Atom, b: T.Atom, node: ast.AST) -> T.Atom | None:
    """`a op b`; None if there is no such operation. A truth value counts as 0 or 1."""
    types = (a.type, b.type)
    if any(t not in (INT, FLOAT, BOOL) for t in types) or (op in _BITS and FLOAT in types):
        return None
    if types == (BOOL, BOOL) and op in _ON_TRUTH:
        return ctx.let(T.Scalar(_ON_TRUTH[op], (a, b)), BOOL, node, "b")
    a, b = counted(ctx, a, node), counted(ctx, b, node)
    if op == "**" and a.type == INT and isinstance(b, T.Const) and b.value < 0:
        a = ctx.let(T.Scalar("float", (a,)), FLOAT, node, "n")  # the power is not an int
    t = FLOAT if op == "/" or FLOAT in (a.type, b.type) else INT
    known = _folded(op, a, b) if t == INT else None
    return known or ctx.let(T.Scalar(op, (a, b)), t, node, "n")


_FOLDED: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def _folded(op: str, a: T.Atom, b: T.Atom) -> T.Const | None:
    """`a op b` of two known ints, such as sizes; errors are left to run time."""
    if not isinstance(a, T.Const) or not isinstance(b, T.Const) or op not in _FOLDED:
        return None
    x, y = int(a.value), int(b.value)
    if op in ("//", "%") and y == 0:
        return None
    found = _FOLDED[op](x, y)
    return T.Const(found, INT) if -(2**63) <= found < 2**63 else None


_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compared_constants(op: str, a: T.Atom, b: T.Atom) -> T.Const | None:
    """The comparison of two ints that are known when the model is compiled, such as the number of
    an unrolled loop."""
    if not isinstance(a, T.Const) or not isinstance(b, T.Const):
        return None
    if {a.type, b.type} - {INT, BOOL}:
        return None
    return T.Const(_COMPARED[op](int(a.value), int(b.value)), BOOL)


def counted(ctx: FunctionContext, a: T.Atom, node: ast.AST) -> T.Atom:
    """A truth value as 0 or 1; any other number as it is."""
    if a.type == BOOL and isinstance(a, T.Const):
        return T.Const(int(a.value), INT)
    return ctx.let(T.Scalar("int", (a,)), INT, node, "n") if a.type == BOOL else a


def repeated(ctx: FunctionContext, node: ast.AST, items: T.Atom, times: T.Atom) -> T.Var:
    """`[x] * n`: if `items` has one known item, a list of it; otherwise a list of the items in
    turn."""
    assert isinstance(items.type, ListType)
    index, out = T.Var("i", INT), T.Var("items", items.type)
    values = known_items(ctx, items)
    if values is not None and len(values) == 1:
        body = T.Region((), T.Yield(values))
        ctx.stmts.append(T.Map((out,), index, times, body, False, ctx.span(node)))
        return out
    number = length(ctx, items, node)
    stop = int_op(ctx, "*", (number, times), node)
    with ctx.region() as stmts:
        at = int_op(ctx, "%", (index, number), node)
        item = list_op(ctx, "get", (items, at), items.type.item, node)
    body = T.Region(tuple(stmts), T.Yield((item,)))
    ctx.stmts.append(T.Map((out,), index, stop, body, False, ctx.span(node)))
    return out
