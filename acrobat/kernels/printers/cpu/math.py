"""Elementary functions as straight-line arithmetic, so that they vectorise.

LLVM turns the library functions into scalar calls even inside a vector loop. Each function here
takes the name of a float32 value and `bind`, which gives a name to an expression; it returns the
expression of its result.

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial of degree 5 for
e^r, relative error below 2e-7. The argument is clamped to +-87, where float32 ends; the clamps are
selections that keep NaN. tanh(x) is x + x^3 p(x^2) for |x| < 0.625 (Cephes; accurate near zero)
and 1 - 2 / (e^2x + 1) beyond. log is Cephes' as well. erf is Abramowitz and Stegun 7.1.26, absolute
error below 1.5e-7.
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
_LOG = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


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


def log(bind: Bind, x: str) -> str:
    """Natural logarithm; -inf at 0, NaN below."""
    bits = f"T.reinterpret('int32', {x})"
    # x = m * 2^n with m in [sqrt(1/2), sqrt(2)).
    shifted = f"T.shift_right({bits} - T.int32(0x3f3504f3), T.int32(23))"
    n = bind(f"T.Cast('float32', {shifted})")
    power = f"T.shift_left(T.Cast('int32', {n}), T.int32(23))"
    m = bind(f"T.reinterpret('float32', {bits} - {power}) - {_f(1.0)}")
    z = bind(f"{m} * {m}")
    p = bind(f"{_horner(bind, _LOG, m)} * {m} * {z}")
    p = bind(f"{p} + {n} * {_f(-2.12194440e-4)} - {z} * {_f(0.5)}")
    y = bind(f"{m} + {p} + {n} * {_f(0.693359375)}")
    y = bind(f"T.Select({x} == {_f(0.0)}, T.float32('-inf'), {y})")
    y = bind(f"T.Select({x} < {_f(0.0)}, T.float32('nan'), {y})")
    # Infinity and NaN stay what they are.
    return f"T.Select({x} < {_f(3.4e38)}, {y}, {x})"


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


def gelu(bind: Bind, x: str) -> str:
    """x / 2 * (1 + erf(x / sqrt(2)))."""
    u = bind(f"{x} * {_f(0.70710678118654752)}")
    a = bind(f"T.Select({u} < {_f(0.0)}, T.float32(0) - {u}, {u})")
    t = bind(f"{_f(1.0)} / ({_f(1.0)} + {_f(0.3275911)} * {a})")
    e = bind(exp(bind, bind(f"T.float32(0) - {a} * {a}")))
    # 1 - erf(|u|), so that nothing cancels for large negative x.
    tail = bind(f"{_horner(bind, _ERF, t)} * {t} * {e}")
    both = bind(f"T.Select({u} < {_f(0.0)}, {tail}, {_f(2.0)} - {tail})")
    return f"{x} * {_f(0.5)} * {both}"


def absolute(bind: Bind, x: str) -> str:
    """|x|."""
    return f"T.Select({x} < {_f(0.0)}, T.float32(0) - {x}, {x})"


def negate(bind: Bind, x: str) -> str:
    """-x."""
    return f"T.float32(0) - {x}"


def sqrt(bind: Bind, x: str) -> str:
    """Square root."""
    return f"T.sqrt({x})"


def rsqrt(bind: Bind, x: str) -> str:
    """1 / square root."""
    return f"{_f(1.0)} / T.sqrt({x})"


FUNCTIONS: dict[str, Callable[[Bind, str], str]] = {
    "sigmoid": sigmoid,
    "tanh": tanh,
    "relu": relu,
    "gelu": gelu,
    "exp": exp,
    "log": log,
    "abs": absolute,
    "neg": negate,
    "sqrt": sqrt,
    "rsqrt": rsqrt,
}

# Functions of several operands, as one expression.
OPERATORS: dict[str, str] = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    # NaN in the second operand is kept, as numpy does for either.
    "min": "T.Select({0} < {1}, {0}, {1})",
    "max": "T.Select({0} > {1}, {0}, {1})",
    "lt": "T.Select({0} < {1}, T.float32(1), T.float32(0))",
    "le": "T.Select({0} <= {1}, T.float32(1), T.float32(0))",
    "eq": "T.Select({0} == {1}, T.float32(1), T.float32(0))",
    "select": "T.Select({0} != T.float32(0), {1}, {2})",
}
