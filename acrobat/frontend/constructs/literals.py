"""Literals: numbers, truth values, strings and None; tuples."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT
from ..context import FunctionContext
from ..registry import expression
from ..scope import Env


@expression(ast.Constant)
def constant(ctx: FunctionContext, node: ast.Constant, env: Env) -> T.Atom:
    """`1`, `2.5`, `True`, `None`, `"NP"`."""
    if node.value is None:
        return ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    if isinstance(node.value, (bool, int, float)):
        return number(ctx, node, node.value, str(node.value))
    if isinstance(node.value, str):
        return ctx.builder.text(node.value)
    ctx.fail(
        "AC002",
        node,
        f"the value {node.value!r} has no type in the model language",
        "numbers, truth values, strings, tensors and @ab.data values",
    )


def plain(value: Any) -> Any:
    """A number of numpy as Python's; anything else as it is."""
    return value.item() if isinstance(value, (np.bool_, np.integer, np.floating)) else value


def number(ctx: FunctionContext, node: ast.AST, value: bool | int | float, text: str) -> T.Const:
    """A Python number as a constant; `text` names it in the error that it does not fit."""
    if isinstance(value, bool):
        return T.Const(value, BOOL)
    if isinstance(value, float):
        return T.Const(value, FLOAT)
    if not -(2**63) <= value < 2**63:
        ctx.fail("AC002", node, f"{text} does not fit into 64 bits", "a float")
    return T.Const(int(value), INT)
