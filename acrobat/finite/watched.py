"""Tensors and floats that know where a NaN or an infinity in them began.

A model runs on them as plain Python. Tensors come to operations by numpy's operators or through
`lang.ops`, which hands them to the `Watch`; floats by Python's own operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..ir.ops import OPS
from .origin import Given, Operand, Origin, origin_of

_SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "matmul": "@",
    "negative": "-",
}


class WatchedArray(np.ndarray):
    """`origin` counts only while something in it is not finite: a part of it may be."""

    origin: Origin | None

    def __array_finalize__(self, source: Any) -> None:
        self.origin = getattr(source, "origin", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **given: Any) -> Any:
        function = getattr(ufunc, method)
        name = _SYMBOLS.get(ufunc.__name__, ufunc.__name__)
        return _computed(name, args, lambda *plain: function(*plain, **given))

    def __getitem__(self, key: Any) -> Any:
        return watched(np.asarray(self)[key], self.origin)


class WatchedFloat(float):
    """Python's arithmetic, whose results are watched as well."""

    __slots__ = ("origin",)
    origin: Origin | None


def _binary(symbol: str, name: str) -> Callable[[float, Any], Any]:
    plain = getattr(float, name)
    reflected = name.startswith("__r")

    def operator(self: float, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return NotImplemented
        pair = (other, self) if reflected else (self, other)
        return _computed(symbol, pair, lambda *_: plain(float(self), other))

    return operator


for _symbol, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    setattr(WatchedFloat, f"__{_name}__", _binary(_symbol, f"__{_name}__"))
    setattr(WatchedFloat, f"__r{_name}__", _binary(_symbol, f"__r{_name}__"))
for _symbol, _name in (("//", "floordiv"), ("%", "mod")):
    setattr(WatchedFloat, f"__{_name}__", _binary(_symbol, f"__{_name}__"))
    setattr(WatchedFloat, f"__r{_name}__", _binary(_symbol, f"__r{_name}__"))


def _unary(name: str) -> Callable[[WatchedFloat], Any]:
    plain = getattr(float, name)

    def operator(self: WatchedFloat) -> Any:
        return watched(plain(self), self.origin)

    return operator


for _name in ("neg", "abs", "pos"):
    setattr(WatchedFloat, f"__{_name}__", _unary(f"__{_name}__"))


def watched(value: Any, origin: Origin | None) -> Any:
    """An array or a float with its origin; anything else as it is."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value).view(WatchedArray)
        array.origin = origin
        return array
    if isinstance(value, float):
        number = WatchedFloat(value)
        number.origin = origin
        return number
    return value


def given(value: Any, name: str) -> Any:
    """What comes in from outside under that name, watched."""
    return watched(value, Given(name, value))


def operand(value: Any) -> Operand:
    """What `watched` was made of."""
    if isinstance(value, WatchedArray):
        return Operand(np.asarray(value), value.origin)
    if isinstance(value, WatchedFloat):
        return Operand(float(value), value.origin)
    return Operand(value, None)


def _computed(name: str, args: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    operands = [operand(a) for a in args]
    result = function(*(o.value for o in operands))
    return watched(result, origin_of(name, operands, result))


class Watch:
    """The observer of `lang.ops`."""

    def operation(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """The result, watched. What an operation computes on its way to it is its own business."""
        function = OPS[name].numpy
        return _computed(f"ops.{name}", args, lambda *plain: function(*plain, **attrs))

    def number(self, x: Any, value: float) -> float:
        """The number in a tensor, watched."""
        result: float = watched(value, operand(x).origin)
        return result
