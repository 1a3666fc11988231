"""The derivative of a point-wise operation, which its record states twice, in two forms.

A `Derivative` is what compiled steps are made of: operations, written down by a builder that the
caller passes in. `Partial`s, in numpy, are what the tape computes with in plain Python. Neither is
derived from the other, so that tests can compare them, and the partials with finite differences.

Conventions at edges are PyTorch's: `relu` and `abs` have derivative 0 at 0, `maximum` and `minimum`
divide a gradient evenly among equals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ..typed import Atom, Var

Gradient = Var | None


class Operations(Protocol):
    """Where a derivative is written down; equal operations are computed once."""

    def op(self, name: str, *args: Atom | float) -> Var:
        """The result of an operation."""

    def add(self, a: Atom | float, b: Atom | float) -> Var:
        """a + b."""

    def sub(self, a: Atom | float, b: Atom | float) -> Var:
        """a - b."""

    def mul(self, a: Atom | float, b: Atom | float) -> Var:
        """a * b."""

    def div(self, a: Atom | float, b: Atom | float) -> Var:
        """a / b."""

    def where(self, c: Atom, a: Atom | float, b: Atom | float) -> Var:
        """a where c is not 0, else b."""


# From a builder, the operands, the result y and its gradient d to each operand's gradient, in the
# shape of the result; None: the result does not change with it, or it is a number.
Derivative = Callable[[Operations, Sequence[Atom], Var, Var], tuple[Gradient, ...]]

# From the result's gradient g, the result y and the operands to one operand's gradient, in the
# shape of the result; None: the result does not change with it.
Partial = Callable[..., np.ndarray]


def unary(rule: Callable[[Operations, Var, Var, Var], Var]) -> Derivative:
    """The derivative of an operation of one operand, from builder, operand, result and gradient."""

    def of(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
        (x,) = operands
        assert isinstance(x, Var)
        return (rule(e, x, y, d),)

    return of


def no_derivative(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
    """The derivative of an operation whose result counts as a constant."""
    return tuple(None for _ in operands)


def if_tensor(atom: Atom, make: Callable[[], Var]) -> Gradient:
    """What `make` gives for a tensor; a number has no gradient."""
    return make() if isinstance(atom, Var) else None
