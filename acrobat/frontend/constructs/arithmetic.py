"""Arithmetic on numbers, tensors and lists: `a + b`, `-a`, `not a`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, TensorType, join
from ..context import FunctionContext
from ..emit import list_op, tensor_op
from ..operators import symbol
from ..registry import expression
from ..scope import Env


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operator: its operation on two numbers and on tensors, None where it has none."""

    scalar: str | None
    tensor: str | None


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: Binary("+", "add"),
    ast.Sub: Binary("-", "sub"),
    ast.Mult: Binary("*", "mul"),
    ast.Div: Binary("/", "div"),
    ast.FloorDiv: Binary("//", None),
    ast.Mod: Binary("%", None),
    ast.MatMult: Binary(None, "matmul"),
}


@expression(ast.BinOp)
def binary(ctx: FunctionContext, node: ast.BinOp, env: Env) -> T.Atom:
    """`a + b`, and `- * / // % @`."""
    a, b = ctx.expression(node.left, env), ctx.expression(node.right, env)
    known = BINARY.get(type(node.op))
    if known is None:
        instead = "`x * x`, or `ops.exp`" if isinstance(node.op, ast.Pow) else "`* // %` on ints"
        ctx.fail(
            "AC027", node, f"the operator `{symbol(node.op)}` is not part of the language", instead
        )
    if known.scalar is None or any(isinstance(x.type, TensorType) for x in (a, b)):
        if known.tensor is None:
            ctx.fail(
                "AC027",
                node,
                f"the operator `{known.scalar}` does not work on tensors",
                "`+ - * / @` and the operations of ops",
            )
        return tensor_op(ctx, known.tensor, node, [(node.left, a), (node.right, b)])
    lists = [isinstance(x.type, ListType) for x in (a, b)]
    if known.scalar == "+" and all(lists):
        both = join(a.type, b.type)
        if both is None:
            ctx.fail("AC027", node, f"`+` of {a.type} and {b.type}", "lists of one type")
        return list_op(ctx, "concat", (a, b), both, node)
    if a.type not in (INT, FLOAT) or b.type not in (INT, FLOAT):
        repeated = known.scalar == "*" and any(lists)
        ctx.fail(
            "AC027",
            node,
            f"`{known.scalar}` of {a.type} and {b.type}",
            "`[x for _ in range(n)]`" if repeated else "numbers or tensors of the same shape",
            ctx.origin_notes((node.left, a), (node.right, b)),
        )
    t = FLOAT if known.scalar == "/" or FLOAT in (a.type, b.type) else INT
    return ctx.let(T.Scalar(known.scalar, (a, b)), t, node, "n")


@expression(ast.UnaryOp)
def unary(ctx: FunctionContext, node: ast.UnaryOp, env: Env) -> T.Atom:
    """`-a`, `not a`."""
    operand, negated = node.operand, isinstance(node.op, ast.USub)
    if negated and isinstance(operand, ast.Constant) and operand.value == 2**63:
        return T.Const(-(2**63), INT)  # the one int whose positive does not fit
    a = ctx.expression(operand, env)
    if isinstance(node.op, ast.Not):
        if a.type != BOOL:
            ctx.fail("AC018", operand, f"`not` of a {a.type}", "compare it, such as `n > 0`")
        return ctx.let(T.Scalar("not", (a,)), BOOL, node, "b")
    if negated and isinstance(a.type, TensorType):
        return tensor_op(ctx, "neg", node, [(operand, a)])
    if negated and a.type in (INT, FLOAT):
        if isinstance(a, T.Const) and a.value != -(2**63):
            return T.Const(-a.value, a.type)
        return ctx.let(T.Scalar("neg", (a,)), a.type, node, "n")
    ctx.fail("AC027", node, f"`{symbol(node.op)}` of a {a.type}", "a number or a tensor")
