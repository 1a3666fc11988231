"""Calls of enumerations: `Kind(x)` is the member with that value. If the members are ints or
strings themselves, it is `x`."""

from __future__ import annotations

import ast
import enum
from typing import Any, cast

from ...ir import typed as T
from ...ir.type_maps import member_type
from ...ir.types import INT, TEXT, MemberType
from ..context import FunctionContext
from ..scope import Env
from .arguments import temporary
from .key_choice import placed, written


def is_enumeration(callee: Any) -> bool:
    """Whether `callee` is an enumeration class, but not one of flags."""
    is_class = isinstance(callee, type) and issubclass(callee, enum.Enum)
    return is_class and not issubclass(callee, enum.Flag)


def member(ctx: FunctionContext, node: ast.Call, callee: type[enum.Enum], env: Env) -> T.Atom:
    """`Kind(x)`; the instance is at fault if no member has that value."""
    text = ast.unparse(node.func)
    if len(node.args) != 1 or node.keywords:
        ctx.fail("AC016", node, f"{text} takes 1 argument", f"`{text}(x)`")
    value = ctx.expression(node.args[0], env)
    if isinstance(value.type, MemberType) and value.type.cls is callee:
        return value
    wanted = INT if all(isinstance(m.value, int) for m in callee) else TEXT
    if not all(isinstance(m.value, int if wanted == INT else str) for m in callee):
        ctx.fail(
            "AC002",
            node,
            f"{text} has values of other types than int alone, or str alone",
            "a dict from what is known to the member",
        )
    if value.type != wanted:
        ctx.fail("AC017", node.args[0], f"{text} of a {value.type}", f"{text} of an {wanted}")
    name = temporary(env, f"the value of a {text}", value, node)
    tests: list[ast.expr] = [_has_value(name, m) for m in callee]
    some = ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
    there = ctx.expression(placed(some, node), env)
    quote = "" if wanted == INT else "'"
    parts = f"ValueError: {quote}", f"{quote} is not a valid {callee.__name__}"
    is_scalar = issubclass(callee, (int, str))
    found = ctx.computed("member", member_type(wanted), node)
    out = (found,) if is_scalar else ()
    end = T.Yield((value,) if is_scalar else ())
    regions = T.Region((), end), T.Region((), T.Raise(parts, (value,)))
    ctx.stmts.append(T.If(out, there, *regions, ctx.span(node)))
    if is_scalar:
        ctx.builder.declarations.enumerations.add(callee)
        return found
    *others, last = callee
    chosen: ast.expr = ast.Constant(cast(Any, last))
    for m in reversed(others):
        chosen = ast.IfExp(_has_value(name, m), ast.Constant(cast(Any, m)), chosen)
    return ctx.expression(placed(chosen, node), env)


def _has_value(name: ast.Name, m: enum.Enum) -> ast.expr:
    return ast.Compare(name, [ast.Eq()], [written(m.value)])
