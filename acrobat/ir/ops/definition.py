"""The record that describes an operation."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..typed import AttrValue
from ..types import TensorType, Type
from .arithmetic import Form
from .derivative import Derivative, Partial

Array = np.ndarray
Attrs = Mapping[str, AttrValue]
Rule = Callable[[Sequence[Type], Attrs], TensorType]
Kind = Literal[
    "pointwise",
    "contraction",
    "reduction",
    "normalise",
    "rearrange",
    "lookup",
    "constant",
    "attention",
    "dropout",
]


class ShapeError(Exception):
    """Operands do not fit. `blame` lists the positions of the arguments whose shapes disagree."""

    def __init__(self, message: str, blame: Sequence[int]) -> None:
        super().__init__(message)
        self.blame = tuple(blame)


@dataclass(frozen=True, slots=True)
class Operation:
    """A tensor operation.

    name      in the IR, and of the function in `lang.ops` if there is one
    kind      what block lowering makes of it
    result    its shape rule: the type of the result from the types of the operands
    numpy     what it computes, in float32: plain Python runs this
    written   how a model writes it, as in the documentation; "" if only the compiler does
    doc       the sentence of the documentation, and the docstring of its function
    """

    name: str
    kind: Kind
    result: Rule
    numpy: Callable[..., Array]
    written: str
    doc: str

    @property
    def contracts(self) -> bool:
        """Whether it multiplies matrices, and is thus worth a node of its own."""
        return self.kind in ("contraction", "attention")


@dataclass(frozen=True, slots=True)
class Code:
    """How a target computes a point-wise operation.

    form      the arithmetic (`arithmetic`): from a builder and the operands to the result
    relative  error against numpy, as a fraction of the result; 0 with `absolute` 0: the same bits
    absolute  error that is allowed in addition
    within    the operands for which this holds; subnormal ones may be taken for other numbers
    """

    form: Form
    relative: float = 0.0
    absolute: float = 0.0
    within: tuple[float, float] = (-math.inf, math.inf)

    @property
    def operands(self) -> tuple[str, ...]:
        """The names that the form gives its operands."""
        return tuple(inspect.signature(self.form).parameters)[1:]


@dataclass(frozen=True, slots=True)
class Pointwise(Operation):
    """An operation on numbers that is applied element by element, with broadcasting.

    arity       number of operands
    exact       what it computes, in whatever precision its operands have
    cpu, cuda   the code for the targets
    derivative  in operations, of which compiled steps are made
    partials    one for each operand, in numpy, for steps in plain Python
    domain      the operands for which the result is a finite number (of a float's size)
    edges       operands at which the code changes branches, or the result its nature
    """

    arity: int
    exact: Callable[..., Array]
    cpu: Code
    cuda: Code
    derivative: Derivative
    partials: tuple[Partial | None, ...]
    domain: tuple[float, float] = (-math.inf, math.inf)
    edges: tuple[float, ...] = (0.0,)
