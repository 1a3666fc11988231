"""Error messages: text with numbers and strings in it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, TEXT, MemberType
from ..context import FunctionContext
from ..scope import Env
from .members import of_each_member


@dataclass(frozen=True, slots=True)
class Message:
    """`texts` with `values` between them, as in `typed.Raise`."""

    texts: tuple[str, ...]
    values: tuple[T.Atom, ...]

    def __add__(self, other: Message) -> Message:
        texts = (*self.texts[:-1], self.texts[-1] + other.texts[0], *other.texts[1:])
        return Message(texts, self.values + other.values)


def message(ctx: FunctionContext, node: ast.expr, env: Env) -> Message:
    """The message that the expression `node` makes."""
    match node:
        case ast.Constant(str() as text):
            return Message((text,), ())
        case ast.JoinedStr(parts):
            whole = Message(("",), ())
            for part in parts:
                whole += _part(ctx, part, env)
            return whole
        case ast.BinOp(left, ast.Add(), right):
            return message(ctx, left, env) + message(ctx, right, env)
        case ast.Call(func, [value], []) if ctx.static(func, env) in (str, repr):
            return _value(ctx, value, env, ctx.static(func, env))
        case ast.Name() | ast.Attribute() if isinstance(text := ctx.static(node, env), str):
            return Message((text,), ())
    return _value(ctx, node, env)


def _part(ctx: FunctionContext, node: ast.expr, env: Env) -> Message:
    if not isinstance(node, ast.FormattedValue):
        return message(ctx, node, env)
    if node.format_spec is not None:
        return Message(("", ""), (ctx.expression(node, env),))
    if node.conversion == ord("r") and isinstance(ctx.peek(node.value, env).type, MemberType):
        return _value(ctx, node.value, env, repr)
    whole = message(ctx, node.value, env)
    if node.conversion == ord("r") and [v.type for v in whole.values] == [TEXT]:
        return Message(("'",), ()) + whole + Message(("'",), ())
    return whole


def _value(
    ctx: FunctionContext, node: ast.expr, env: Env, show: Callable[[object], str] = str
) -> Message:
    value = ctx.expression(node, env)
    if isinstance(value.type, MemberType):
        each = [show(m) for m in value.type.members]
        value = of_each_member(ctx, node, value, each, ast.unparse(node))
    if value.type not in (INT, FLOAT, BOOL, TEXT):
        ctx.fail(
            "AC017",
            node,
            f"a {value.type} in a message",
            'text, and numbers and strings in it: `f"of {n} items"`',
        )
    return Message(("", ""), (value,))
