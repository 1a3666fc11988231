"""Literals: numbers, truth values, strings and None; tuples."""

from __future__ import annotations

import ast
import enum
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, MemberType
from ..bad_hint import BadHint
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
    if isinstance(node.value, enum.Enum):  # in code written by the compiler
        return member_constant(ctx, node, node.value)
    ctx.fail(
        "AC002",
        node,
        f"the value {node.value!r} has no type in the model language",
        "numbers, truth values, strings, tensors and @ab.data values",
    )


def member_constant(ctx: FunctionContext, node: ast.AST, value: enum.Enum) -> T.Const:
    """A member of an enumeration whose members are not numbers or strings themselves."""
    try:
        t = ctx.builder.declarations.type_of(type(value))
    except BadHint as error:
        ctx.fail("AC004", node, str(error), error.hint)
    assert isinstance(t, MemberType)
    return T.Const(t.members.index(value), t)


def is_member(value: object) -> bool:
    """Whether a Python value is an enumeration member that is not itself a number or a string."""
    return isinstance(value, enum.Enum) and not isinstance(value, (int, str))


def content(member: Any) -> int | str:
    """The number or string that an enumeration member is; its `value` may be another one."""
    return str.__str__(member) if isinstance(member, str) else int(member)


def plain(value: Any) -> Any:
    """A numpy number as a Python number; any other value unchanged."""
    return value.item() if isinstance(value, (np.bool_, np.integer, np.floating)) else value


def number(ctx: FunctionContext, node: ast.AST, value: bool | int | float, text: str) -> T.Const:
    """A Python number as a constant; `text` names it in the error if it does not fit."""
    if isinstance(value, bool):
        return T.Const(value, BOOL)
    if isinstance(value, float):
        return T.Const(value, FLOAT)
    if not -(2**63) <= value < 2**63:
        ctx.fail("AC002", node, f"{text} does not fit into 64 bits", "a float")
    return T.Const(int(value), INT)
