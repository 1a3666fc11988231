"""A tensor that remembers what it was computed from. A model runs on it as on a numpy array."""

from __future__ import annotations

import dis
import operator
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from ..lang.ufuncs import UFUNCS
from .contributions import Sum
from .numpy_functions import FUNCTIONS

Array = np.ndarray

COMPARISONS = ("less", "greater", "less_equal", "greater_equal", "equal", "not_equal")


class Recorder(Protocol):
    """Records the operations on variables."""

    def operation(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """Return the result of an operation of `ops`."""


def _stores_item(frame: types.FrameType) -> bool:
    """Whether a frame is at `x[i] = y`, where numpy asks y for its number: `float(y)` is a call."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["STORE_SUBSCR"]


class Variable:
    """A tensor `value` and where it came from: the operation `name` on `operands` with `attrs` (""
    and none for a weight). `gradient`: the gradient that the backward pass has accumulated so
    far."""

    __slots__ = ("attrs", "gradient", "name", "operands", "tape", "value")

    def __init__(
        self,
        tape: Recorder,
        value: Array,
        name: str = "",
        operands: tuple[Any, ...] = (),
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        self.tape, self.value, self.name = tape, value, name
        self.operands, self.attrs = operands, attrs or {}
        self.gradient: Sum | None = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Raise TypeError: if numpy computed on the numbers alone, the gradient would be lost
        silently. For `x.dot(w)`, where x is an array, numpy asks w only for its numbers."""
        raise TypeError(
            "numpy takes the numbers of a tensor whose gradient is wanted: write `x @ w` for "
            "`x.dot(w)`, and `ops.stop_gradient(x)` for numbers without a gradient"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **given: Any) -> Any:
        name = UFUNCS.get(ufunc.__name__)
        # `out` is the target of an augmented assignment such as `+=`.
        if name is None or method != "__call__" or set(given) - {"out"}:
            raise TypeError(
                f"numpy.{ufunc.__name__} has no gradient here: a model computes with acrobat.ops"
            )
        return self.tape.operation(name, args, {})

    def __array_function__(self, function: Any, types: Any, args: Any, given: Any) -> Any:
        if function in FUNCTIONS:
            return FUNCTIONS[function](*args, **given)
        raise TypeError(
            f"numpy.{function.__name__} has no gradient here: a model computes with acrobat.ops"
        )

    __hash__ = object.__hash__

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype

    @property
    def T(self) -> Any:  # noqa: N802
        return self.tape.operation("transpose", (self,), {})

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, (slice, tuple, type(None), type(...))):
            key = operator.index(key)
        return self.tape.operation("index", (self,), {"key": key})

    # Control flow reads plain numbers, which have no gradient.
    def __float__(self) -> float:
        if _stores_item(sys._getframe(1)):
            raise TypeError(
                "an array of numpy's keeps the number of a tensor whose gradient is wanted, and "
                "loses the gradient: write `ops.stack` of a list, or `x[i] = float(y)` for one "
                "without"
            )
        return float(self.value.item())

    def __int__(self) -> int:
        return int(self.value.item())

    def __bool__(self) -> bool:
        return bool(self.value)

    def item(self) -> float:
        return float(self)

    def argmax(self, axis: int | None = None) -> Any:
        found = np.argmax(self.value, axis)
        return int(found) if axis is None else found

    def any(self) -> Any:
        return self.value.any()

    def all(self) -> Any:
        return self.value.all()

    def __pow__(self, other: Any) -> Any:
        return self.tape.operation("pow", (self, other), {})

    def __rpow__(self, other: Any) -> Any:
        return self.tape.operation("pow", (other, self), {})

    def __neg__(self) -> Any:
        return self.tape.operation("neg", (self,), {})

    def __abs__(self) -> Any:
        return self.tape.operation("abs", (self,), {})

    def reshape(self, *dims: Any) -> Any:
        shape = dims[0] if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims
        return self.tape.operation("reshape", (self,), {"shape": tuple(shape)})

    def flatten(self) -> Any:
        return self.reshape(self.size)

    ravel = flatten

    def transpose(self) -> Any:
        return self.T

    def dot(self, other: Any) -> Any:
        return self.tape.operation("matmul", (self, other), {})

    def _reduced(self, name: str, axis: int | None, keepdims: bool) -> Any:
        over = "all" if axis is None else axis
        result = self.tape.operation(name, (self,), {"axis": over})
        if not keepdims:
            return result
        kept = (1 if axis is None or i == axis % self.ndim else n for i, n in enumerate(self.shape))
        return self.tape.operation("reshape", (result,), {"shape": tuple(kept)})

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._reduced("sum", axis, keepdims)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._reduced("mean", axis, keepdims)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._reduced("max", axis, keepdims)

    def min(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return -(-self)._reduced("max", axis, keepdims)

    def clip(self, low: Any, high: Any) -> Any:
        above = self.tape.operation("maximum", (self, low), {})
        return self.tape.operation("minimum", (above, high), {})

    def cumsum(self, axis: int | None = None) -> Any:
        # As `ops.cumsum`.
        ones = np.triu(np.ones((self.shape[-1 if axis is None else axis],) * 2, self.dtype))
        turned = self.ndim > 1 and axis is not None and axis % self.ndim == 0
        operands = (ones.T, self) if turned else (self, ones)
        return self.tape.operation("matmul", operands, {})


def _binary(name: str, reflected: bool) -> Callable[[Variable, Any], Any]:
    def run(self: Variable, other: Any) -> Any:
        operands = (other, self) if reflected else (self, other)
        return self.tape.operation(name, operands, {})

    return run


for _python, _name in {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "matmul": "matmul",
}.items():
    setattr(Variable, f"__{_python}__", _binary(_name, reflected=False))
    setattr(Variable, f"__r{_python}__", _binary(_name, reflected=True))
for _python, _name in zip(("lt", "gt", "le", "ge", "eq", "ne"), COMPARISONS, strict=True):
    setattr(Variable, f"__{_python}__", _binary(_name, reflected=False))
