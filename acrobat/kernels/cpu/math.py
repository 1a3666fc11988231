"""exp, sigmoid, tanh and relu as straight-line arithmetic, so that they vectorise.

LLVM turns the library functions into scalar calls even inside a vector loop. Each function here
takes the name of a float32 value and `bind`, which gives a name to an expression; it returns the
expression of its result.

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial of degree 5 for
e^r, relative error below 2e-7. The argument is clamped to +-87, where float32 ends; the clamps are
selections that keep NaN. tanh(x) is x + x^3 p(x^2) for |x| < 0.625 (Cephes; accurate near zero)
and 1 - 2 / (e^2x + 1) beyond.
"""

from __future__ import annotations

from collections.abc import Callable

Bind = Callable[[str], str]

_EXP = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)
_TANH = (
    -5.70498872745e-3,
    2.06390887954e-2,
    -5.37397155531e-2,
    1.33314422036e-1,
    -3.33332819422e-1,
)


def _f(value: float) -> str:
    return f"T.float32({value!r})"


def _horner(bind: Bind, coefficients: tuple[float, ...], x: str) -> str:
    total = _f(coefficients[0])
    for c in coefficients[1:]:
        total = bind(f"{total} * {x} + {_f(c)}")
    return total


def exp(bind: Bind, x: str) -> str:
    """e^x."""
    x = bind(f"T.Select({x} > {_f(87.0)}, {_f(87.0)}, {x})")
    x = bind(f"T.Select({x} < {_f(-87.0)}, {_f(-87.0)}, {x})")
    n = bind(f"T.floor({x} * {_f(1.44269504088896341)} + {_f(0.5)})")
    # ln 2 in two parts: n * 0.693359375 is exact.
    r = bind(f"{x} - {n} * {_f(0.693359375)} - {n} * {_f(-2.12194440e-4)}")
    p = _horner(bind, _EXP, r)
    e = bind(f"{p} * {r} * {r} + {r} + {_f(1.0)}")
    power = f"T.shift_left(T.Cast('int32', {n}) + T.int32(127), T.int32(23))"
    return f"{e} * T.reinterpret('float32', {power})"


def sigmoid(bind: Bind, x: str) -> str:
    """1 / (1 + e^-x)."""
    e = bind(exp(bind, bind(f"T.float32(0) - {x}")))
    return f"{_f(1.0)} / ({_f(1.0)} + {e})"


def tanh(bind: Bind, x: str) -> str:
    """Hyperbolic tangent."""
    s = bind(f"{x} * {x}")
    near = bind(f"{_horner(bind, _TANH, s)} * {s} * {x} + {x}")
    e = bind(exp(bind, bind(f"{x} * {_f(2.0)}")))
    far = bind(f"{_f(1.0)} - {_f(2.0)} / ({e} + {_f(1.0)})")
    return f"T.Select({s} < {_f(0.390625)}, {near}, {far})"


def relu(bind: Bind, x: str) -> str:
    """max(x, 0); NaN stays NaN."""
    return f"T.Select({x} < {_f(0.0)}, {_f(0.0)}, {x})"


FUNCTIONS: dict[str, Callable[[Bind, str], str]] = {"sigmoid": sigmoid, "tanh": tanh, "relu": relu}
