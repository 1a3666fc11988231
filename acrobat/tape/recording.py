"""The tape of one run of a model, and the reverse pass over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ir.ops import OPS, POINTWISE
from ..ir.ops.definition import Pointwise
from ..ir.ops.meaning import EXACT
from .broadcast import summed
from .contributions import Contribution, Sum
from .tensor_rules import RULES
from .variable import Variable

Array = np.ndarray


class Tape:
    """The operations of a run that depend on a weight, in the order in which they ran. All numbers
    have the precision `dtype`. The tape is the observer of `lang.ops`."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.record: list[Variable] = []

    def operation(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """Return the result of an operation: a `Variable` if it depends on one differentiably, else
        an array."""
        if name == "index" and isinstance(args[0], Variable):
            value = args[0].value[attrs["key"]]
        else:
            value = self._computed(name, tuple(map(self._plain, args)), attrs)
        if not any(isinstance(x, Variable) for x in args) or not _differentiable(name, args):
            return value
        made = Variable(self, np.asarray(value), name, args, attrs)
        self.record.append(made)
        return made

    def number(self, x: Any, value: float) -> float:
        """Return the number in a tensor, which is a constant from here on."""
        return value

    def chooses(self, x: Any) -> None:
        """The position of the largest element is a constant, too: nothing is recorded."""

    def _plain(self, x: Any) -> Any:
        if isinstance(x, Variable):
            return x.value
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fb":
            return np.asarray(x, self.dtype)
        return x

    def _computed(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        op = OPS[name]
        function = op.exact if isinstance(op, Pointwise) else EXACT.get(name, op.numpy)
        value = np.asarray(function(*args, **attrs))
        # A comparison stays a boolean mask, for numpy's `&`, `|` and `~`.
        return value if value.dtype == np.bool_ else np.asarray(value, self.dtype)

    def backward(self, seeds: Sequence[tuple[Variable, Array]]) -> None:
        """Propagate the gradients of the results, `seeds`, back to those of the weights, and add
        them there. Consumes the record."""
        for variable, gradient in seeds:
            self._add(variable, gradient)
        while self.record:
            made = self.record.pop()
            if made.gradient is None:
                continue
            g, made.gradient = made.gradient.dense(), None
            operands = tuple(map(self._plain, made.operands))
            for i, x in enumerate(made.operands):
                if isinstance(x, Variable):
                    given = _contribution(made, g, operands, i)
                    if given is not None:
                        self._add(x, given)

    def _add(self, variable: Variable, given: Contribution) -> None:
        if variable.gradient is None:
            variable.gradient = Sum(variable.shape, self.dtype)
        if isinstance(given, np.ndarray):
            given = np.asarray(given, self.dtype)
        variable.gradient.add(given)


def _differentiable(name: str, args: tuple[Any, ...]) -> bool:
    """Whether the result has a derivative with respect to an operand that is a variable."""
    record = POINTWISE.get(name)
    if record is None:
        return name in RULES
    return any(isinstance(x, Variable) and p for x, p in zip(args, record.partials, strict=True))


def _contribution(
    made: Variable, g: Array, operands: tuple[Any, ...], i: int
) -> Contribution | None:
    """Return the contribution to the gradient of the i-th operand; None if there is none."""
    record = POINTWISE.get(made.name)
    with np.errstate(all="ignore"):
        if record is None:
            return RULES[made.name](g, made.value, operands, made.attrs, i)
        partial = record.partials[i]
        if partial is None:
            return None
        return summed(np.asarray(partial(g, made.value, *operands)), operands[i].shape)
