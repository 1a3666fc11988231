"""Syntax that the language does not have, and what to write instead."""

from __future__ import annotations

import ast
from typing import NoReturn

from ..attempts import CAUGHT
from ..context import FunctionContext
from ..given_away import refuse_given_away
from ..scope import Env

# Class of the node -> what users call it, and what to write instead.
EXPRESSIONS: dict[type[ast.expr], tuple[str, str]] = {
    ast.GeneratorExp: (
        "a generator outside of a call",
        "a list comprehension, `[... for ... in ...]`",
    ),
    ast.Await: ("`await`", "a plain call"),
    ast.Yield: ("`yield`", "a result"),
    ast.YieldFrom: ("`yield`", "a result"),
}

STATEMENTS: dict[type[ast.stmt], tuple[str, str]] = {
    ast.ClassDef: ("a local class", "an @ab.data class outside the function"),
    ast.AsyncFunctionDef: ("a local function", "a function of its own, with @ab.model"),
    ast.AsyncFor: ("`async`", "a plain `for`"),
    ast.AsyncWith: ("`async`", "plain calls"),
    ast.TryStar: ("`try`", "a result that says what happened, as an @ab.data union"),
    ast.Try: ("this `try`", "a test before what may raise: `if k in d:`, `if i < len(xs):`"),
    ast.With: ("`with`", "plain calls"),
    ast.Nonlocal: ("`nonlocal` of a variable outside of the model", "a parameter, and a result"),
}


def refuse_expression(ctx: FunctionContext, node: ast.expr, env: Env) -> NoReturn:
    """Report an expression that no handler is registered for."""
    what, instead = EXPRESSIONS.get(type(node), (type(node).__name__.lower(), ""))
    refuse_given_away(ctx, node)
    ctx.fail("AC002", node, f"{what} is not part of the language", instead)


def refuse_statement(ctx: FunctionContext, node: ast.stmt, env: Env) -> None:
    """Report a statement that no handler is registered for."""
    what, instead = STATEMENTS.get(type(node), (f"`{type(node).__name__.lower()}`", ""))
    if isinstance(node, ast.Try):
        what, instead = _of_try(node) or (what, instead)
    ctx.error("AC001", node, f"{what} is not part of the language", instead)


def _of_try(node: ast.Try) -> tuple[str, str] | None:
    """The same of a `try` for exceptions that the language does not have."""
    for handler in node.handlers:
        caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for each in caught:
            if each is None or ast.unparse(each) in CAUGHT:
                continue
            name = ast.unparse(each)
            if name == "StopIteration":
                return f"`except {name}`", "a default, `next(it, None)`, and a test for None"
            return (
                f"`except {name}`",
                "a result that says what happened, such as None, and a test of it; `break` leaves "
                "a loop",
            )
    return None
