"""Operators with a tensor operand: arithmetic, powers, comparisons and masks.

In plain Python, operators between masks compute with truth values: `+` is "or", and there is no
`-`. A mask therefore has a type of its own, and operators that would differ are refused.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import Operands, tensor_op
from ..operators import symbol
from .numbers import counted

Side = tuple[ast.expr, T.Atom]

_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "matmul",
}
_LOGIC: dict[type[ast.operator], str] = {
    ast.BitAnd: "mul",
    ast.BitOr: "maximum",
    ast.BitXor: "not_equal",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
# Powers computed as products: as exact as numpy's, with few multiplications.
_PRODUCTS = range(3, 9)


def tensor_binary(ctx: FunctionContext, node: ast.BinOp, left: Side, right: Side) -> T.Var:
    """`a + b`, and `- * / @ **`; `a & b`, `a | b`, `a ^ b` of masks."""
    masks = [is_mask(x) for _, x in (left, right)]
    logic = _LOGIC.get(type(node.op))
    truths = [mask or x.type == BOOL for mask, (_, x) in zip(masks, (left, right), strict=True)]
    if any(masks) and all(truths):
        # A truth value beside a mask counts as a mask.
        masks = truths
    if logic is not None and all(masks):
        return tensor_op(ctx, logic, node, [left, right], mask=True)
    if isinstance(node.op, ast.Pow) and not any(masks):
        left, right = ((n, counted(ctx, x, node)) for n, x in (left, right))
        return _power(ctx, node, left, right)
    name = _OPERATIONS.get(type(node.op))
    if name is None or (all(masks) and not isinstance(node.op, (ast.Mult, ast.Div))):
        _refuse_operator(ctx, node, left, right, any(masks))
    return tensor_op(ctx, name, node, [left, right], mask=all(masks) and name == "mul")


def _refuse_operator(
    ctx: FunctionContext, node: ast.BinOp, left: Side, right: Side, masks: bool
) -> NoReturn:
    sign = symbol(node.op)
    sign = {"FloorDiv": "//", "Mod": "%"}.get(sign, sign)
    sign = {"Add": "+", "Sub": "-", "MatMult": "@"}.get(sign, sign)
    if masks:
        ctx.fail(
            "AC027",
            node,
            f"`{sign}` of {left[1].type} and {right[1].type}",
            "`&`, `|`, `~` of masks; a mask as numbers is `ops.where(mask, 1.0, 0.0)`",
            ctx.origin_notes(left, right),
        )
    if type(node.op) in _LOGIC:
        ctx.fail("AC027", node, f"`{sign}` does not work on tensors", "masks, such as `x > 0`")
    ctx.fail(
        "AC027",
        node,
        f"the operator `{sign}` does not work on tensors",
        "`+ - * / @ **` and the operations of ops",
    )


def _power(ctx: FunctionContext, node: ast.BinOp, left: Side, right: Side) -> T.Var:
    """`x ** n`; powers that are products, quotients or roots are computed as such."""
    exponent = right[1].value if isinstance(right[1], T.Const) else None
    if not isinstance(left[1].type, TensorType):
        exponent = None
    if exponent == 1:
        return tensor_op(ctx, "mul", node, [left, (node, T.Const(1.0, FLOAT))])
    if exponent == 2:
        return tensor_op(ctx, "mul", node, [left, left])
    if exponent == 0.5:
        return tensor_op(ctx, "sqrt", node, [left])
    if exponent == -1:
        return tensor_op(ctx, "div", node, [(node, T.Const(1.0, FLOAT)), left])
    if exponent in _PRODUCTS:
        return _repeated(ctx, node, left, int(exponent or 0))
    return tensor_op(ctx, "pow", node, [left, right])


def _repeated(ctx: FunctionContext, node: ast.BinOp, base: Side, n: int) -> T.Var:
    """The product of n equal factors, by repeated squaring."""
    half: Side = base if n < 4 else (node, _repeated(ctx, node, base, n // 2))
    result = tensor_op(ctx, "mul", node, [half, half])
    return tensor_op(ctx, "mul", node, [(node, result), base]) if n % 2 else result


def tensor_comparison(
    ctx: FunctionContext, node: ast.AST, op: ast.cmpop, left: Side, right: Side
) -> T.Var:
    """`a < b` and the like: a mask."""
    for source, side in (left, right):
        if side.type not in (BOOL, INT, FLOAT) and not isinstance(side.type, TensorType):
            ctx.fail(
                "AC027",
                node,
                f"a comparison of {left[1].type} and {right[1].type}",
                "a number, or a tensor of the same shape",
                ctx.origin_notes((source, side)),
            )
    return tensor_op(ctx, _COMPARISONS[type(op)], node, [left, right], mask=True)


def tensor_unary(ctx: FunctionContext, node: ast.UnaryOp, operand: Side) -> T.Var:
    """`-x`, `+x`; `~mask`."""
    sides: Operands = [operand]
    match node.op:
        case ast.USub() if not is_mask(operand[1]):
            return tensor_op(ctx, "neg", node, sides)
        case ast.Invert() if is_mask(operand[1]):
            one = (node, T.Const(1.0, FLOAT))
            return tensor_op(ctx, "sub", node, [one, operand], mask=True)
    ctx.fail(
        "AC027",
        node,
        f"`{symbol(node.op)}` of a {operand[1].type}",
        "`~mask`; a mask as numbers is `ops.where(mask, 1.0, 0.0)`"
        if is_mask(operand[1])
        else "`-x`; `~` is for masks, such as `x > 0`",
    )
