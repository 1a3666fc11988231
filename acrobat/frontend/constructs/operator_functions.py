"""The functions of Python's module `operator`: `operator.add(a, b)` is `a + b`."""

from __future__ import annotations

import ast
import operator

from ...ir import typed as T
from ..context import FunctionContext
from ..registry import Arity, CallHandler, function
from ..scope import Env

_BINARY: dict[object, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.matmul: ast.MatMult(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
    operator.lshift: ast.LShift(),
    operator.rshift: ast.RShift(),
}
_COMPARISONS: dict[object, ast.cmpop] = {
    operator.lt: ast.Lt(),
    operator.le: ast.LtE(),
    operator.gt: ast.Gt(),
    operator.ge: ast.GtE(),
    operator.eq: ast.Eq(),
    operator.ne: ast.NotEq(),
}
_UNARY: dict[object, ast.unaryop] = {
    operator.neg: ast.USub(),
    operator.pos: ast.UAdd(),
    operator.invert: ast.Invert(),
    operator.not_: ast.Not(),
}


def _binary(op: ast.operator) -> CallHandler:
    def lower(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
        a, b = node.args
        return ctx.expression(ast.copy_location(ast.BinOp(a, op, b), node), env)

    return lower


def _comparison(op: ast.cmpop) -> CallHandler:
    def lower(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
        a, b = node.args
        return ctx.expression(ast.copy_location(ast.Compare(a, [op], [b]), node), env)

    return lower


def _unary(op: ast.unaryop) -> CallHandler:
    def lower(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
        (a,) = node.args
        return ctx.expression(ast.copy_location(ast.UnaryOp(op, a), node), env)

    return lower


for _function, _op in _BINARY.items():
    function(_function, Arity(2, 2))(_binary(_op))
for _function, _test in _COMPARISONS.items():
    function(_function, Arity(2, 2))(_comparison(_test))
for _function, _sign in _UNARY.items():
    function(_function, Arity(1, 1))(_unary(_sign))


@function(operator.getitem, Arity(2, 2))
def getitem(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`operator.getitem(xs, i)`: `xs[i]`."""
    owner, at = node.args
    return ctx.expression(ast.copy_location(ast.Subscript(owner, at, ast.Load()), node), env)
