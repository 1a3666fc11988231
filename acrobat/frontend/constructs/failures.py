"""`assert` and `raise`: errors of the instance, with a message."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ..context import MISSING, FunctionContext
from ..registry import statement
from ..scope import Env
from .messages import Message, message


@statement(ast.Assert)
def assert_(ctx: FunctionContext, node: ast.Assert, env: Env) -> T.End | None:
    """`assert test`, `assert test, message`."""
    text = node.msg if node.msg is not None else ast.Constant(ast.unparse(node.test))
    error = ast.Call(ast.Name("AssertionError", ast.Load()), [text], [])
    wrong = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    fails = ast.copy_location(ast.Raise(error), node)
    setattr(fails, _ASSERTED, True)
    ast.fix_missing_locations(fails)
    return ctx.statement(ast.copy_location(ast.If(wrong, [fails], []), node), env)


# An attribute of the `raise` that replaces an `assert`: its error is Python's own AssertionError.
_ASSERTED = "asserted"


@statement(ast.Raise)
def raise_(ctx: FunctionContext, node: ast.Raise, env: Env) -> T.Raise:
    """`raise Error`, `raise Error(message)`."""
    if node.cause is not None and not (
        isinstance(node.cause, ast.Constant) and node.cause.value is None
    ):
        ctx.fail("AC001", node.cause, "`from` of a `raise`", "`raise` without it")
    error, args = node.exc, list[ast.expr]()
    if isinstance(error, ast.Call) and not error.keywords:
        args = error.args
        error = error.func
    if error is None:
        ctx.fail("AC001", node, "`raise` without an error", "`raise ValueError(message)`")
    asserted = getattr(node, _ASSERTED, False)
    kind = AssertionError if asserted else ctx.static(error, env)
    if kind is MISSING or not isinstance(kind, type) or not issubclass(kind, Exception):
        ctx.fail(
            "AC002",
            error,
            f"{ast.unparse(error)} is no error that a model can raise",
            "`ValueError(message)`, or another class of exceptions",
        )
    if len(args) > 1:
        ctx.fail(
            "AC016", args[1], "an error takes one message here", "an f-string with all that it says"
        )
    said = message(ctx, args[0], env) if args else Message(("",), ())
    head = kind.__name__ + (": " if args else "")
    return T.Raise((head + said.texts[0], *said.texts[1:]), said.values)
