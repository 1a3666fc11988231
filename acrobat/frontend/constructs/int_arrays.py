"""Arrays of ints, `np.argsort(x)`, which are lists to the compiler, and lists beside arrays, where
plain Python computes with numpy."""

from __future__ import annotations

import ast
from typing import NoReturn

from ...ir import typed as T
from ...ir.types import NONE, IntArrayType, OptionalType, TensorType
from ..context import FunctionContext
from ..operators import symbol
from ..scope import Env
from .sequences import as_list

_LISTS = (ast.List, ast.ListComp, ast.GeneratorExp, ast.Tuple)


def is_int_array(value: T.Atom) -> bool:
    """Whether plain Python has the value as an array of ints, or may have."""
    return isinstance(value.type, IntArrayType)


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
