"""Scalar arithmetic (`ir.ops.arithmetic`) as text, with no more parentheses than it needs.

TIR and Triton are both written as Python: they share names, operators and precedence, and differ in
constants, selections, conversions and the functions of the hardware.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...ir.ops import arithmetic as A

# How tightly a text holds together, from the loosest on.
EITHER, COMPARE, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(7)

_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}

Expression = A.Number | A.Integer | A.Condition
Printed = tuple[str, int]  # a text, and how tightly it holds together


class ScalarPrinter(ABC):
    """Prints expressions for one target."""

    def text(self, x: Expression, least: int = EITHER) -> str:
        """`x`, in parentheses if it holds together less tightly than `least`."""
        text, level = self.printed(x)
        return text if level >= least else f"({text})"

    def printed(self, x: Expression) -> Printed:
        """`x` without parentheses around it."""
        match x:
            case A.Name(text):
                return text, ATOM
            case A.Binary(op, left, right) | A.IntegerBinary(op, left, right):
                # Operators associate to the left, and rounding does not let us choose.
                level = _LEVELS[op]
                return f"{self.text(left, level)} {op} {self.text(right, level + 1)}", level
            case A.Compare(op, left, right):
                return f"{self.text(left, SHIFT)} {op} {self.text(right, SHIFT)}", COMPARE
        return self.special(x)

    @abstractmethod
    def special(self, x: Expression) -> Printed:
        """What the targets write differently."""
