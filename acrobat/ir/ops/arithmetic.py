"""Scalar arithmetic, in which a point-wise operation states how generated code computes it.

An operation's *form* is a function from a `Builder` and the operands to an expression:

    def sigmoid(m: Builder, x: Number) -> Number:
        return 1.0 / (1.0 + m.let(m.apply("exp", -x)))

Python's operators build the expression tree below; a printer of generated code (TIR, Triton) turns
it into text. All arithmetic is float32, rounded after every operation and never reassociated.
Integers are 32 bits wide; they serve to take floats apart and to put them together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NoReturn, Protocol


class Number:
    """A float32."""

    __slots__ = ()

    def __add__(self, other: Number | float) -> Number:
        return Binary("+", self, number(other))

    def __radd__(self, other: float) -> Number:
        return Binary("+", number(other), self)

    def __sub__(self, other: Number | float) -> Number:
        return Binary("-", self, number(other))

    def __rsub__(self, other: float) -> Number:
        return Binary("-", number(other), self)

    def __mul__(self, other: Number | float) -> Number:
        return Binary("*", self, number(other))

    def __rmul__(self, other: float) -> Number:
        return Binary("*", number(other), self)

    def __truediv__(self, other: Number | float) -> Number:
        """The quotient to within 2 units in the last place; `divide` rounds correctly."""
        return Binary("/", self, number(other))

    def __rtruediv__(self, other: float) -> Number:
        return Binary("/", number(other), self)

    def __neg__(self) -> Number:
        return Negative(self)

    def __lt__(self, other: Number | float) -> Condition:
        return Compare("<", self, number(other))

    def __gt__(self, other: Number | float) -> Condition:
        return Compare(">", self, number(other))

    def equals(self, other: Number | float) -> Condition:
        """Whether both are the same number; NaN equals nothing, itself included."""
        return Compare("==", self, number(other))

    def is_nan(self) -> Condition:
        """Whether it is NaN. (There is no `!=`: TVM takes NaN != 0 and NaN != NaN for false.)"""
        return IsNan(self)


class Integer:
    """An int32."""

    __slots__ = ()

    def __add__(self, other: Integer | int) -> Integer:
        return IntegerBinary("+", self, integer(other))

    def __sub__(self, other: Integer | int) -> Integer:
        return IntegerBinary("-", self, integer(other))

    def __lshift__(self, by: int) -> Integer:
        return Shift("<<", self, by)

    def __rshift__(self, by: int) -> Integer:
        return Shift(">>", self, by)


class Condition:
    """A truth value of the generated code; `select` chooses by it."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("the generated code decides this, not Python: use `select`")


@dataclass(frozen=True, slots=True)
class Name(Number):
    """An operand, or what `Builder.let` has given a name; `text` as the printer writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal(Number):
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Binary(Number):
    """left op right."""

    op: OneOf["+", "-", "*", "/"]
    left: Number
    right: Number


@dataclass(frozen=True, slots=True)
class Negative(Number):
    """-x."""

    x: Number


@dataclass(frozen=True, slots=True)
class Quotient(Number):
    """left / right, correctly rounded."""

    left: Number
    right: Number


@dataclass(frozen=True, slots=True)
class Function(Number):
    """A function for which every target has a correctly rounded instruction."""

    name: OneOf["abs", "sqrt", "floor"]
    x: Number


@dataclass(frozen=True, slots=True)
class Select(Number):
    """`yes` where `condition` holds, else `no`. Both may be computed."""

    condition: Condition
    yes: Number
    no: Number


@dataclass(frozen=True, slots=True)
class ToFloat(Number):
    """The float32 nearest to an integer."""

    x: Integer


@dataclass(frozen=True, slots=True)
class FromBits(Number):
    """The float32 with the bits of an integer."""

    x: Integer


@dataclass(frozen=True, slots=True)
class IntegerLiteral(Integer):
    """A constant."""

    value: int


@dataclass(frozen=True, slots=True)
class IntegerBinary(Integer):
    """left op right, wrapping around."""

    op: OneOf["+", "-"]
    left: Integer
    right: Integer


@dataclass(frozen=True, slots=True)
class Shift(Integer):
    """x shifted by a constant; to the right, its sign is kept."""

    op: OneOf["<<", ">>"]
    x: Integer
    by: int


@dataclass(frozen=True, slots=True)
class ToInteger(Integer):
    """A whole float32 as an integer."""

    x: Number


@dataclass(frozen=True, slots=True)
class BitsOf(Integer):
    """The bits of a float32."""

    x: Number


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """left op right."""

    op: OneOf["<", ">", "=="]
    left: Number
    right: Number


@dataclass(frozen=True, slots=True)
class IsNan(Condition):
    """x is not a number."""

    x: Number


class Builder(Protocol):
    """Where a form is written down."""

    def let(self, x: Number) -> Name:
        """Compute `x` here and give it a name: what is used twice is computed once."""

    def apply(self, operation: str, *operands: Number) -> Number:
        """Another point-wise operation, in its form for the same target."""


Form = Callable[..., Number]


def number(x: Number | float) -> Number:
    """A Python number as a constant."""
    return x if isinstance(x, Number) else Literal(x)


def integer(x: Integer | int) -> Integer:
    """A Python int as a constant."""
    return x if isinstance(x, Integer) else IntegerLiteral(x)


def select(condition: Condition, yes: Number | float, no: Number | float) -> Number:
    """`yes` where `condition` holds, else `no`."""
    return Select(condition, number(yes), number(no))


def divide(a: Number | float, b: Number) -> Number:
    """a / b, correctly rounded."""
    return Quotient(number(a), b)


def horner(m: Builder, coefficients: tuple[float, ...], x: Number) -> Number:
    """The polynomial of x with these coefficients, that of the highest power first."""
    total = number(coefficients[0])
    for c in coefficients[1:]:
        total = m.let(total * x + c)
    return total
