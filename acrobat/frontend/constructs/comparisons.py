"""Comparisons: `a < b <= c`, `x is None`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, DataRef, TensorType, UnionType
from ..context import FunctionContext
from ..narrowing import has_none
from ..operators import symbol
from ..registry import expression
from ..scope import Env
from .booleans import decided

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@expression(ast.Compare)
def compare(ctx: FunctionContext, node: ast.Compare, env: Env) -> T.Atom:
    """`a < b`, `a < b < c`, `x is None`."""
    match node.ops, node.comparators:
        case [ast.Is() | ast.IsNot() as op], [right]:
            return _is_none(ctx, node, op, right, env)
    for operator in node.ops:
        if type(operator) not in COMPARE:
            ctx.fail(
                "AC002",
                node,
                f"`{symbol(operator)}` is not part of the language",
                "`==`, `<` and the like on numbers; `match` on data",
            )
    first = ctx.expression(node.left, env)
    rest = list(zip(node.ops, node.comparators, strict=True))
    return _chain(ctx, node, (node.left, first), rest, env)


def _chain(
    ctx: FunctionContext,
    node: ast.AST,
    left: tuple[ast.expr, T.Atom],
    rest: list[tuple[ast.cmpop, ast.expr]],
    env: Env,
) -> T.Atom:
    """`a < b < c`: b is computed once, c only if a < b holds."""
    (op, source), *more = rest
    right = (source, ctx.expression(source, env))
    result = _comparison(ctx, node, op, left, right)
    if not more:
        return result
    with ctx.region() as stmts:
        others = _chain(ctx, node, right, more, env)
    return decided(ctx, node, "and", result, [r for _, r in more], tuple(stmts), others)


def _comparison(
    ctx: FunctionContext,
    node: ast.AST,
    op: ast.cmpop,
    left: tuple[ast.expr, T.Atom],
    right: tuple[ast.expr, T.Atom],
) -> T.Var:
    for side, atom in (left, right):
        if isinstance(atom.type, TensorType):
            ctx.fail(
                "AC018",
                side,
                f"a comparison of a {atom.type}: a decision needs a number",
                f"`ops.item({ast.unparse(side)})`, or `ops.less` and `ops.where` on tensors",
            )
    a, b = left[1], right[1]
    numbers = (INT, FLOAT)
    same_bool = a.type == b.type == BOOL
    if not same_bool and (a.type not in numbers or b.type not in numbers):
        ctx.fail("AC027", node, f"a comparison of {a.type} and {b.type}", "compare numbers")
    return ctx.let(T.Scalar(COMPARE[type(op)], (a, b)), BOOL, node, "b")


def _is_none(
    ctx: FunctionContext, node: ast.Compare, op: ast.Is | ast.IsNot, right: ast.expr, env: Env
) -> T.Atom:
    """`x is None`, `x is not None`."""
    left = node.left
    value = ctx.expression(left, env)
    none = isinstance(right, ast.Constant) and right.value is None
    data = isinstance(value.type, (DataRef, UnionType))
    if not none or not data:
        ctx.fail(
            "AC002",
            node,
            f"`{symbol(op)}` is for comparing an Optional value with None",
            "`==` on numbers; `match` on data",
        )
    if not has_none(value.type):
        if isinstance(left, ast.Name) and has_none(ctx.declared.get(left.id, value.type)):
            return T.Const(isinstance(op, ast.IsNot), BOOL)
        ctx.fail(
            "AC002",
            node,
            f"{ast.unparse(left)} is a {value.type}, which is never None",
            f"a hint where it is assigned: `{ast.unparse(left)}: {value.type} | None = ...`"
            if isinstance(left, ast.Name)
            else "delete the test",
        )
    test = ctx.let(T.Scalar("is_none", (value,)), BOOL, node, "b")
    if isinstance(op, ast.IsNot):
        return ctx.let(T.Scalar("not", (test,)), BOOL, node, "b")
    return test
