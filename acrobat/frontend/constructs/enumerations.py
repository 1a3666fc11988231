"""Calls of enumerations of ints or strings: `Kind(x)` is `x`, if that is the value of a member."""

from __future__ import annotations

import ast
import enum
from typing import Any, cast

from ...ir import typed as T
from ...ir.types import INT, TEXT
from ..context import FunctionContext
from ..scope import Env
from .arguments import temporary
from .key_choice import placed, written


def is_enumeration(callee: Any) -> bool:
    """Whether `callee` is an enumeration whose members are ints or strings themselves."""
    return (
        isinstance(callee, type)
        and issubclass(callee, enum.Enum)
        and issubclass(callee, (int, str))
        and not issubclass(callee, enum.Flag)
    )


def member(ctx: FunctionContext, node: ast.Call, callee: type[enum.Enum], env: Env) -> T.Atom:
    """`Kind(x)`; the instance is at fault where no member has that value."""
    text = ast.unparse(node.func)
    if len(node.args) != 1 or node.keywords:
        ctx.fail("AC016", node, f"{text} takes 1 argument", f"`{text}(x)`")
    value = ctx.expression(node.args[0], env)
    wanted = INT if issubclass(callee, int) else TEXT
    if value.type != wanted:
        ctx.fail("AC017", node.args[0], f"{text} of a {value.type}", f"{text} of an {wanted}")
    name = temporary(env, f"the value of a {text}", value, node)
    tests: list[ast.expr] = [ast.Compare(name, [ast.Eq()], [written(cast(Any, m))]) for m in callee]
    some = ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
    there = ctx.expression(placed(some, node), env)
    quote = "" if wanted == INT else "'"
    parts = f"ValueError: {quote}", f"{quote} is not a valid {callee.__name__}"
    regions = T.Region((), T.Yield(())), T.Region((), T.Raise(parts, (value,)))
    ctx.stmts.append(T.If((), there, *regions, ctx.span(node)))
    return value
