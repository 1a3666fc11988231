"""Tensors and floats that know where a NaN or an infinity in them began.

A model runs on them as plain Python. Operations on tensors arrive through numpy's operators or
through `lang.ops`, which delegates to the `Watch`; those on floats through Python's own operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..ir.ops import OPS
from ..ir.span import Span
from ..lang.observe import OBSERVER
from ..lang.places import caller
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
    """An array with an `origin`, which is meaningful only if some element is not finite: a part of
    the array may be finite. The truth values of comparisons with a NaN also have an origin, and the
    `place` of the comparison."""

    origin: Origin | None
    place: Span | None

    def __array_finalize__(self, source: Any) -> None:
        self.origin = getattr(source, "origin", None)
        self.place = getattr(source, "place", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **given: Any) -> Any:
        function = getattr(ufunc, method)
        name = _SYMBOLS.get(ufunc.__name__, ufunc.__name__)
        return _computed(name, args, lambda *plain: function(*plain, **given))

    def __getitem__(self, key: Any) -> Any:
        # It is not known which elements of a mask were compared with a NaN.
        known = self.dtype.kind == "f" or self.size == 1
        return watched(np.asarray(self)[key], self.origin if known else None)

    def item(self, *at: Any) -> Any:
        return watched(np.asarray(self).item(*at), self.origin)

    def any(self, *args: Any, **given: Any) -> Any:
        return _computed("any", (self,), lambda x: x.any(*args, **given))

    def all(self, *args: Any, **given: Any) -> Any:
        return _computed("all", (self,), lambda x: x.all(*args, **given))

    def argmax(self, *args: Any, **given: Any) -> Any:
        _decide(Watch.chooses, self)
        return np.asarray(self).argmax(*args, **given)


def _decided(name: str) -> Callable[[Any], Any]:
    """Return a method that converts to a number or truth value of Python, which is a decision."""

    def method(self: Any) -> Any:
        _decide(Watch.decides, self)
        return getattr(operand(self).value, name)()

    return method


for _name in ("bool", "int", "float"):
    setattr(WatchedArray, f"__{_name}__", _decided(f"__{_name}__"))


class WatchedFloat(float):
    """A float whose arithmetic gives watched results."""

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


def _comparison(name: str) -> Callable[[WatchedFloat, Any], Any]:
    plain = getattr(float, name)

    def operator(self: WatchedFloat, other: Any) -> Any:
        if isinstance(other, (int, float)) and not _looks_for_nan(self, other):
            _decide(Watch.decides, self, other)
        return plain(float(self), other)

    return operator


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(WatchedFloat, f"__{_name}__", _comparison(f"__{_name}__"))
WatchedFloat.__hash__ = float.__hash__  # type: ignore[method-assign]
for _name in ("bool", "int", "trunc", "floor", "ceil"):
    setattr(WatchedFloat, f"__{_name}__", _decided(f"__{_name}__"))


def _rounded(self: WatchedFloat, *digits: Any) -> Any:
    if not digits:
        _decide(Watch.decides, self)
    return round(float(self), *digits)


WatchedFloat.__round__ = _rounded  # type: ignore[method-assign, assignment]


def _unary(name: str) -> Callable[[WatchedFloat], Any]:
    plain = getattr(float, name)

    def operator(self: WatchedFloat) -> Any:
        return watched(plain(self), self.origin)

    return operator


for _name in ("neg", "abs", "pos"):
    setattr(WatchedFloat, f"__{_name}__", _unary(f"__{_name}__"))


def watched(value: Any, origin: Origin | None) -> Any:
    """Return an array or a float with its origin attached; anything else unchanged."""
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
    """Return an input of the model, named `name`, as a watched value."""
    return watched(value, Given(name, value))


def operand(value: Any) -> Operand:
    """Return the plain value and the origin of a watched value."""
    if isinstance(value, WatchedArray):
        return Operand(np.asarray(value), value.origin)
    if isinstance(value, WatchedFloat):
        return Operand(float(value), value.origin)
    return Operand(value, None)


def _computed(name: str, args: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    operands = [operand(a) for a in args]
    result = function(*(o.value for o in operands))
    if np.asarray(result).dtype.kind == "f":
        return watched(result, origin_of(name, operands, result))
    # Truth values, or how many of them hold: these do not show what they were computed from.
    if len(args) == 2 and _looks_for_nan(*args):
        return watched(result, None)
    origin = next((found for o in operands if (found := _misleads(o))), None)
    made = watched(result, origin)
    if origin is not None and isinstance(made, WatchedArray):
        made.place = caller()
    return made


def _looks_for_nan(a: Any, b: Any) -> bool:
    """Whether a NaN is compared with itself."""
    x, y = operand(a), operand(b)
    if a is b:
        return True
    same = x.origin is not None and x.origin is y.origin
    return same and all(np.isnan(of.value).all() for of in (x, y))


def _misleads(of: Operand) -> Origin | None:
    """Return where the value that makes a decision doubtful began: a NaN; an infinity that was
    computed or was in an input tensor (an infinite number is a bound that somebody chose); or a
    result of a decision by one of them. None if there is no such value."""
    values = np.asarray(of.value)
    if values.dtype.kind != "f":
        return of.origin
    if np.isnan(values).any():
        return of.origin or Given("a constant of the model", of.value)
    chosen = of.origin is None or (isinstance(of.origin, Given) and np.ndim(of.origin.array) == 0)
    return None if chosen or np.isfinite(values).all() else of.origin


def _decide(how: Callable[..., None], *xs: Any) -> None:
    observer = OBSERVER.get()
    if isinstance(observer, Watch):
        how(observer, *xs)


class Watch:
    """The observer of `lang.ops`. `decision`: where a decision of the model first depended on a
    number that is not finite, and where that began. Comparing a NaN with itself is a test for NaN,
    not a fault."""

    def __init__(self) -> None:
        self.decision: tuple[Span | None, Origin] | None = None

    def decides(self, *by: Any) -> None:
        """Note a comparison, a condition, or a conversion to int that depends on `by`. Its place in
        the model is looked up only if one of these values is not finite."""
        for x in by:
            origin = _misleads(operand(x))
            if origin is not None and self.decision is None:
                self.decision = getattr(x, "place", None) or caller(), origin

    def chooses(self, x: Any) -> None:
        """Note a decision that depends on the largest element, or the first NaN, of `x`."""
        parts = x if isinstance(x, (list, tuple)) else np.ravel(x).view(WatchedArray)
        if len(parts) > 0:
            self.decides(parts[int(np.argmax([operand(p).value for p in parts]))])

    def operation(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """Return the watched result of an operation. Its intermediate values are not watched."""
        function = OPS[name].numpy
        return _computed(f"ops.{name}", args, lambda *plain: function(*plain, **attrs))

    def number(self, x: Any, value: float) -> float:
        """Return the number in a tensor, watched."""
        result: float = watched(value, operand(x).origin)
        return result
