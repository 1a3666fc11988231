"""exp, sigmoid and tanh as polynomials, so that they vectorise.

LLVM turns these into scalar library calls even inside a vector loop. exp is the classic
Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial of degree 5 for e^r, relative
error below 2e-7. The argument is clamped to +-87, where float32 ends. max and min are written as
selections that keep NaN: NaN in, NaN out.

tanh(x) is p(x^2) * x for |x| < 0.625 (Cephes, relative error below 2e-7 also near zero) and
1 - 2 / (e^2x + 1) beyond.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tvm import tirx

_names = itertools.count()

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1)
_TANH = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1)


def _f(value: float) -> Any:
    return tirx.FloatImm("float32", value)


def _let(value: Any, body: Callable[[Any], Any]) -> Any:
    """`body` of a variable bound to `value`: without it, expressions would be copied."""
    var = tirx.Var(f"m{next(_names)}", "float32")
    return tirx.Let(var, value, body(var))


def _horner(coefficients: tuple[float, ...], x: Any) -> Any:
    total = _f(coefficients[0])
    for c in coefficients[1:]:
        total = total * x + _f(c)
    return total


def exp(x: Any) -> Any:
    """e^x for float32 `x`."""

    def scaled(x: Any, n: Any) -> Any:
        def poly(r: Any) -> Any:
            p = _horner((*_EXP, 5.0000001201e-1), r)
            power = (n.astype("int32") + tirx.IntImm("int32", 127)) << tirx.IntImm("int32", 23)
            return (p * r * r + r + _f(1.0)) * tirx.reinterpret("float32", power)

        # ln 2 in two parts: n * 0.693359375 is exact.
        return _let(x - n * _f(0.693359375) - n * _f(-2.12194440e-4), poly)

    def clamped(x: Any) -> Any:
        n = tirx.floor(x * _f(1.44269504088896341) + _f(0.5))
        return _let(n, lambda n: scaled(x, n))

    high = tirx.Select(x > _f(87.0), _f(87.0), x)
    return _let(high, lambda h: _let(tirx.Select(h < _f(-87.0), _f(-87.0), h), clamped))


def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    return _f(1.0) / (_f(1.0) + exp(-x))


def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""

    def both(x: Any) -> Any:
        near = _let(
            x * x,
            lambda s: _horner((*_TANH, -3.33332819422e-1), s) * s * x + x,
        )
        far = _f(1.0) - _f(2.0) / (exp(x * _f(2.0)) + _f(1.0))
        small = tirx.all(x < _f(0.625), x > _f(-0.625))
        return tirx.Select(small, near, far)

    return _let(x, both)


def relu(x: Any) -> Any:
    """max(x, 0); NaN stays NaN."""
    return _let(x, lambda v: tirx.Select(v < _f(0.0), _f(0.0), v))
