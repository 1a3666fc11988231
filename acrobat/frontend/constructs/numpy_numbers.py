"""numpy's functions of numbers: infinity or NaN where Python's `math` raises an error."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT
from ..context import FunctionContext

_INF, _NAN, _ZERO, _MINUS_ONE = (T.Const(x, FLOAT) for x in (math.inf, math.nan, 0.0, -1.0))
_LARGEST = T.Const(709.782712893384, FLOAT)  # the largest whose `exp` is finite
_Numbers = Callable[..., T.Atom]


def _call(ctx: FunctionContext, node: ast.AST, name: str, *args: T.Atom) -> T.Var:
    return ctx.let(T.Scalar(name, args), FLOAT, node, "n")


def _test(ctx: FunctionContext, node: ast.AST, test: str, *args: T.Atom) -> T.Var:
    return ctx.let(T.Scalar(test, args), BOOL, node, "b")


def _choice(
    ctx: FunctionContext,
    node: ast.AST,
    test: T.Var,
    one: Callable[[], T.Atom],
    other: Callable[[], T.Atom],
) -> T.Var:
    regions: list[T.Region] = []
    for value in (one, other):
        with ctx.region() as stmts:
            end = T.Yield((value(),))
        regions.append(T.Region(tuple(stmts), end))
    out = ctx.computed("n", FLOAT, node)
    ctx.stmts.append(T.If((out,), test, regions[0], regions[1], ctx.span(node)))
    return out


def _where(test: str, bound: T.Const, name: str, other: T.Const) -> _Numbers:
    """`math.<name>` where its argument passes the test, else `other`; NaN for NaN."""

    def lower(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
        holds = _test(ctx, node, test, x, bound)
        return _choice(
            ctx,
            node,
            holds,
            lambda: _call(ctx, node, f"math.{name}", x),
            lambda: _call(ctx, node, "+", x, other),  # which is NaN where x is
        )

    return lower


def _log(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    def below() -> T.Atom:
        zero = _test(ctx, node, "==", x, _ZERO)
        return _choice(ctx, node, zero, lambda: T.Const(-math.inf, FLOAT), lambda: _NAN)

    positive = _test(ctx, node, ">", x, _ZERO)
    return _choice(ctx, node, positive, lambda: _call(ctx, node, "math.log", x), below)


def _log1p(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    def below() -> T.Atom:
        end = _test(ctx, node, "==", x, _MINUS_ONE)
        return _choice(ctx, node, end, lambda: T.Const(-math.inf, FLOAT), lambda: _NAN)

    inside = _test(ctx, node, ">", x, _MINUS_ONE)
    return _choice(ctx, node, inside, lambda: _call(ctx, node, "math.log1p", x), below)


def _periodic(name: str) -> _Numbers:
    def lower(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
        finite = _test(ctx, node, "math.isfinite", x)
        return _choice(ctx, node, finite, lambda: _call(ctx, node, f"math.{name}", x), lambda: _NAN)

    return lower


def _extreme(test: str) -> _Numbers:
    """The greater or the smaller of two numbers; NaN if either is NaN."""

    def lower(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Atom:
        first = _test(ctx, node, test, a, b)
        nan = _test(ctx, node, "math.isnan", a)
        return _choice(ctx, node, _test(ctx, node, "or", first, nan), lambda: a, lambda: b)

    return lower


OF_NUMBERS: dict[str, _Numbers] = {
    "exp": _where("<=", _LARGEST, "exp", _INF),
    "sqrt": _where(">=", _ZERO, "sqrt", _NAN),
    "log": _log,
    "sin": _periodic("sin"),
    "cos": _periodic("cos"),
    "tanh": lambda ctx, node, x: _call(ctx, node, "math.tanh", x),
    "expm1": _where("<=", _LARGEST, "expm1", _INF),
    "log1p": _log1p,
    "abs": lambda ctx, node, x: _call(ctx, node, "abs", x),
    "pow": lambda ctx, node, x, y: _call(ctx, node, "**", x, y),
    "maximum": _extreme(">="),
    "minimum": _extreme("<="),
}
