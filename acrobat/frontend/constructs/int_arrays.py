"""Arrays of ints, `np.argsort(x)`, which are lists to the compiler, and lists beside arrays, where
plain Python computes with numpy."""

from __future__ import annotations

import ast
from typing import NoReturn

from ...ir import typed as T
from ...ir.types import BOOL, INT, NONE, IntArrayType, ListType, OptionalType, TensorType
from ..context import FunctionContext
from ..emit import int_op, length, list_op
from ..frozen_lists import as_int_array
from ..looking import looked_at
from ..operators import symbol
from ..scope import Env
from ..syntax import has_effect
from .sequences import as_list

_EACH = ("+", "-", "*")  # which numpy computes as Python does
_LISTS = (ast.List, ast.ListComp, ast.GeneratorExp, ast.Tuple)


def is_int_array(value: T.Atom) -> bool:
    """Whether plain Python has the value as an array of ints, or may have."""
    return isinstance(value.type, IntArrayType)


def of_each_item(ctx: FunctionContext, node: ast.AST, sign: str, a: T.Atom, b: T.Atom) -> T.Atom:
    """`ids + 1`, `ids - others`: an array of the results for each item. numpy divides by zero
    without an error, and computes with floats and lists in other ways: that is refused."""
    arrays = [x for x in (a, b) if is_int_array(x)]
    if sign not in _EACH or not all(is_int_array(x) or x.type == INT for x in (a, b)):
        refuse_operator(ctx, node, sign)
    stop = length(ctx, arrays[0], node)
    if len(arrays) > 1:
        other = length(ctx, arrays[1], node)
        alike = ctx.let(T.Scalar("==", (stop, other)), BOOL, node, "b")
        texts = ("ValueError: arrays of ", " and ", " items cannot be broadcast together")
        wrong = T.Region((), T.Raise(texts, (stop, other)))
        ctx.stmts.append(T.If((), alike, T.Region((), T.Yield(())), wrong, ctx.span(node)))
    index, out = T.Var("i", INT), T.Var("items", ListType(INT))
    with ctx.region() as stmts:
        x, y = (
            list_op(ctx, "get", (v, index), INT, node) if is_int_array(v) else v for v in (a, b)
        )
        result = int_op(ctx, sign, (x, y), node)
    body = T.Region(tuple(stmts), T.Yield((result,)))
    ctx.stmts.append(T.Map((out,), index, stop, body, False, ctx.span(node)))
    return as_int_array(out)


def refuse_in_place(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """An error for `ids += 1`, `d[k] += 1`, which changes the array under all of its names."""
    match node.target:
        case ast.Name(name):
            before: object = env.names.get(name)
        case ast.Subscript(owner, index) if not isinstance(index, ast.Slice):
            item = ast.copy_location(ast.Subscript(owner, index, ast.Load()), node.target)
            before = None if has_effect(item) else looked_at(ctx, item, env)
        case _:
            return
    if isinstance(before, T.Var) and is_int_array(before):
        name, sign = ast.unparse(node.target), symbol(node.op)
        ctx.fail(
            "AC027",
            node,
            f"`{sign}=` of an array of ints, which changes it in place",
            f"`{name} = {name} {sign} {ast.unparse(node.value)}`, another array",
        )


def refuse_operator(ctx: FunctionContext, node: ast.AST, sign: str) -> NoReturn:
    """The error for an operator that numpy applies to each item."""
    ctx.fail(
        "AC027",
        node,
        f"`{sign}` of an array of ints, which is a list here",
        "a list that is made of its items: `[2 * i for i in order]`",
    )


def check_extends(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """An error for `xs += x` with an array x: numpy is asked first, and adds it to the items of the
    list."""
    if isinstance(node.value, _LISTS):
        return
    with ctx.region():
        t = ctx.peek(as_list(ctx, node.value, env), env.copy()).type
    t = t.item if isinstance(t, OptionalType) else t
    if isinstance(t, (TensorType, IntArrayType)):
        xs, x = ast.unparse(node.target), ast.unparse(node.value)
        ctx.fail(
            "AC027",
            node,
            f"`{symbol(node.op)}=` of a list and an array, which is numpy's: it computes with the "
            "items of both",
            f"`{xs}.extend({x})` for more items",
        )


def of_arrays(a: T.Atom, b: T.Atom) -> str:
    """The remedy where one of two values that are compared is an array, or may be None instead of
    one; "" otherwise."""
    if NONE in (a.type, b.type) and any(isinstance(x.type, OptionalType) for x in (a, b)):
        return "`is None`, or `is not None`"
    arrays = is_int_array(a) or is_int_array(b)
    return "lists, `list(o)` of an array `o`, or its items one by one" if arrays else ""
