"""`and`, `or`, `a if c else b`: what follows is evaluated only where it decides."""

from __future__ import annotations

import ast
from itertools import pairwise

from ...ir import typed as T
from ...ir.types import BOOL, INT, join, run_time_value
from ..conditions import condition
from ..context import FunctionContext
from ..narrowing import narrow
from ..registry import expression
from ..scope import Env
from ..syntax import names_in

# What may fail, suspend or not terminate: it must not be evaluated where its value is not needed.
_NOT_ALWAYS = (ast.Call, ast.Div, ast.FloorDiv, ast.Mod, ast.Subscript)
_OVERFLOWS = ("+", "-", "*", "neg")  # of ints


@expression(ast.BoolOp)
def boolean(ctx: FunctionContext, node: ast.BoolOp, env: Env) -> T.Atom:
    """`a and b`, `a or b`; the right side knows what a test on the left one has found."""
    name = "and" if isinstance(node.op, ast.And) else "or"
    result = _truth(ctx, node.values[0], env)
    tests: list[ast.expr] = []  # on None, on the left
    for left, value in pairwise(node.values):
        tests += [left] if any(_is_none(n) for n in ast.walk(left)) else []
        inner = env.copy()
        with ctx.region() as stmts:
            for before in tests:
                stmts += narrow(ctx, before, name == "and", inner, names_in(value))
            atom = _truth(ctx, value, inner)
        env.owned &= inner.owned
        result = decided(ctx, node, name, result, [value], tuple(stmts), atom)
    return result


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _truth(ctx: FunctionContext, value: ast.expr, env: Env) -> T.Atom:
    atom = ctx.expression(value, env)
    if atom.type != BOOL:
        ctx.fail("AC018", value, f"`and`/`or` of a {atom.type}", "compare it, such as `n > 0`")
    return atom


def decided(
    ctx: FunctionContext,
    node: ast.AST,
    name: str,
    known: T.Atom,
    sources: list[ast.expr],
    stmts: tuple[T.Stmt, ...],
    atom: T.Atom,
) -> T.Var:
    """`known and atom`, `known or atom` (`name`); `stmts` compute `atom`, which the source writes
    as `sources`. They run only where `known` does not decide, unless that makes no difference."""
    out = ctx.computed("b", BOOL, node)
    apart = any(map(_needs_known, stmts))
    if not apart and not any(isinstance(n, _NOT_ALWAYS) for v in sources for n in ast.walk(v)):
        ctx.stmts.extend(stmts)
        ctx.stmts.append(T.Let((out,), T.Scalar(name, (known, atom)), ctx.span(node)))
        return out
    evaluated = T.Region(stmts, T.Yield((atom,)))
    skipped = T.Region((), T.Yield((T.Const(name == "or", BOOL),)))
    branches = (evaluated, skipped) if name == "and" else (skipped, evaluated)
    ctx.stmts.append(T.If((out,), known, *branches, ctx.span(node)))
    return out


def _needs_known(stmt: T.Stmt) -> bool:
    """Whether `stmt` may fail, or be wrong, where what stands before it decides."""
    if not isinstance(stmt, T.Let):
        return True  # a branch, which may have either in it
    match stmt.rhs:
        case T.Scalar(op):
            return op in _OVERFLOWS and stmt.outs[0].type == INT
        case T.Narrow():
            return True
    return False


@expression(ast.IfExp)
def conditional(ctx: FunctionContext, node: ast.IfExp, env: Env) -> T.Var:
    """`a if c else b`."""
    cond = condition(ctx, node.test, env)
    values: list[T.Atom] = []
    regions: list[T.Region] = []
    for holds, branch in ((True, node.body), (False, node.orelse)):
        inner = env.copy()
        with ctx.region() as stmts:
            stmts += narrow(ctx, node.test, holds, inner, names_in(branch))
            value = ctx.expression(branch, inner)
        regions.append(T.Region(tuple(stmts), T.Yield((value,))))
        values.append(value)
        env.owned &= inner.owned
    t = join(values[0].type, values[1].type)
    if t is None:
        ctx.fail(
            "AC008",
            node,
            f"the branches are {values[0].type} and {values[1].type}",
            "give both branches the same type",
        )
    if not run_time_value(t):
        ctx.fail(
            "AC008",
            node,
            f"a branch chooses between weights of type {t}",
            "`if` around the operations, each with its own weight",
        )
    out = T.Var("chosen", t)
    ctx.stmts.append(T.If((out,), cond, regions[0], regions[1], ctx.span(node)))
    return out
