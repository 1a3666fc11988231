"""Point-wise operations as TVMScript expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ....ir.ops import POINTWISE
from ....ir.ops import arithmetic as A
from ..scalar import ATOM, COMPARE, PRODUCT, UNARY, Expression, Printed, ScalarPrinter, single

Bind = Callable[[str], str]  # gives an expression a name


def pointwise(operation: str, operands: Sequence[str], bind: Bind) -> str:
    """The expression of an operation's result; intermediate values are bound to names. KeyError for
    an unknown operation."""
    names = [A.Name(o) for o in operands]
    return _PRINTER.text(POINTWISE[operation].cpu.form(_Inline(bind), *names))


class _Inline:
    """Writes forms inline, where they are used."""

    def __init__(self, bind: Bind) -> None:
        self.bind = bind

    def let(self, x: A.Number) -> A.Name:
        return A.Name(self.bind(_PRINTER.text(x)))

    def apply(self, operation: str, *operands: A.Number) -> A.Number:
        named = [x if isinstance(x, A.Name) else self.let(x) for x in operands]
        return POINTWISE[operation].cpu.form(self, *named)


class _TirPrinter(ScalarPrinter):
    def special(self, x: Expression) -> Printed:
        match x:
            case A.Literal(value):
                return constant(value), ATOM
            case A.Negative(y):
                # 0 - y would be 0, not -0, for y = 0.
                return f"T.float32(-1) * {self.text(y, UNARY)}", PRODUCT
            case A.Quotient(left, right):
                return self.printed(A.Binary("/", left, right))
            case A.Function("abs", y):
                return f"T.fabs({self.text(y)})", ATOM
            case A.Function(name, y):
                return f"T.{name}({self.text(y)})", ATOM
            case A.Select(condition, yes, no):
                return f"T.Select({self.text(condition)}, {self.text(yes)}, {self.text(no)})", ATOM
            case A.IsNan(y):
                return is_nan(self.text(y)), COMPARE
            case A.IntegerLiteral(value):
                return f"T.int32({hex(value) if value >= 1 << 16 else value})", ATOM
            case A.Shift(op, y, by):
                side = "left" if op == "<<" else "right"
                return f"T.shift_{side}({self.text(y)}, T.int32({by}))", ATOM
            case A.ToInteger(y):
                return f"T.Cast('int32', {self.text(y)})", ATOM
            case A.ToFloat(y):
                return f"T.Cast('float32', {self.text(y)})", ATOM
            case A.BitsOf(y):
                return f"T.reinterpret('int32', {self.text(y)})", ATOM
            case A.FromBits(y):
                return f"T.reinterpret('float32', {self.text(y)})", ATOM
        raise TypeError(f"TIR has no {type(x).__name__}")


_PRINTER = _TirPrinter()


def is_nan(x: str) -> str:
    """Whether a number is NaN, by its bits: for `T.isnan` TVM calls a function for each element of
    a vector, and it takes `x != x` to be false."""
    bits = f"T.bitwise_and(T.reinterpret('int32', {x}), T.int32({0x7FFFFFFF}))"
    return f"{bits} > T.int32({0x7F800000})"


def constant(value: float) -> str:
    """A float32 constant."""
    value = single(value)
    plain = math.isfinite(value)
    return f"T.float32({value!r})" if plain else f"T.float32('{value}')"
