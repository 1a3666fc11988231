"""Scalar arithmetic (`ir.ops.arithmetic`) as text, with no more parentheses than necessary.

TIR and Triton are both written as Python: they share names, operators and precedence, and differ in
constants, selections, conversions and hardware functions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from ...ir.ops import arithmetic as A

# Precedence levels, from loosest to tightest.
COMPARE, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(6)

_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}

Expression = A.Number | A.Integer | A.Condition
Printed = tuple[str, int]  # a text and its precedence level


def single(value: float) -> float:
    """A constant for float32: beyond the largest number it becomes infinite."""
    with np.errstate(over="ignore"):
        return value if abs(float(np.float32(value))) < math.inf else float(np.float32(value))


class ScalarPrinter(ABC):
    """Prints expressions for one target."""

    def text(self, x: Expression, least: int = COMPARE) -> str:
        """`x`, in parentheses if its precedence is lower than `least`."""
        text, level = self.printed(x)
        return text if level >= least else f"({text})"

    def printed(self, x: Expression) -> Printed:
        """`x` without parentheses around it."""
        match x:
            case A.Name(text):
                return text, ATOM
            case A.Binary(op, left, right) | A.IntegerBinary(op, left, right):
                # Operators associate to the left, and because of rounding the order matters.
                level = _LEVELS[op]
                return f"{self.text(left, level)} {op} {self.text(right, level + 1)}", level
            case A.Compare(op, left, right):
                return f"{self.text(left, SHIFT)} {op} {self.text(right, SHIFT)}", COMPARE
        return self.special(x)

    @abstractmethod
    def special(self, x: Expression) -> Printed:
        """Print an expression that targets write differently."""
