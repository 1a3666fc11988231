"""The point-wise operations: one record each.

A new one is a record here and a function in `lang.ops`; its arithmetic, if that is more than a
line, goes to `elementary`. Its tests follow from the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import elementary as E
from . import meaning as M
from .arithmetic import Builder, Form, Function, Number, divide, select
from .definition import Array, Code, Pointwise
from .random_numbers import BITS, uniform, uniform_form
from .shapes import broadcast

ELEMENTARY = 2e-6  # relative error of the elementary functions against numpy


def _pointwise(
    name: str,
    exact: Callable[..., Array],
    cpu: Code | Form,
    written: str,
    doc: str,
    *,
    cuda: Code | None = None,
    **rest: Any,
) -> Pointwise:
    """A record; a form by itself computes what numpy does to the bit. The GPU's code is the CPU's
    unless there is another."""
    code = cpu if isinstance(cpu, Code) else Code(cpu)
    return Pointwise(
        name=name,
        kind="pointwise",
        result=broadcast(name, len(code.operands)),
        numpy=M.float32(exact),
        written=written,
        doc=doc,
        arity=len(code.operands),
        exact=exact,
        cpu=code,
        cuda=cuda or code,
        **rest,
    )


def _add(m: Builder, a: Number, b: Number) -> Number:
    return a + b


def _sub(m: Builder, a: Number, b: Number) -> Number:
    return a - b


def _mul(m: Builder, a: Number, b: Number) -> Number:
    return a * b


def _div(m: Builder, a: Number, b: Number) -> Number:
    return divide(a, b)


def _maximum(m: Builder, a: Number, b: Number) -> Number:
    # NaN of either is kept, as numpy does.
    return select(a.is_nan(), a, select(a > b, a, b))


def _minimum(m: Builder, a: Number, b: Number) -> Number:
    return select(a.is_nan(), a, select(a < b, a, b))


def _less(m: Builder, a: Number, b: Number) -> Number:
    return select(a < b, 1, 0)


def _greater(m: Builder, a: Number, b: Number) -> Number:
    return select(b < a, 1, 0)


def _less_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a < b, 1, select(a.equals(b), 1, 0))


def _greater_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(b < a, 1, select(a.equals(b), 1, 0))


def _equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a.equals(b), 1, 0)


def _not_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a.equals(b), 0, 1)  # NaN is not equal to itself


def _where(m: Builder, c: Number, a: Number, b: Number) -> Number:
    return select(c.equals(0), b, a)


def _neg(m: Builder, x: Number) -> Number:
    return -x


def _relu(m: Builder, x: Number) -> Number:
    return select(x < 0.0, 0.0, x)  # NaN stays NaN


def _sqrt(m: Builder, x: Number) -> Number:
    return Function("sqrt", x)


def _rsqrt(m: Builder, x: Number) -> Number:
    return divide(1.0, Function("sqrt", x))


def _abs(m: Builder, x: Number) -> Number:
    return Function("abs", x)


def _same(m: Builder, x: Number) -> Number:
    return x


_POSITIVE = (0.0, math.inf)

_RECORDS = (
    _pointwise("add", np.add, _add, "x + y", "a + b; one of them may be a number."),
    _pointwise("sub", np.subtract, _sub, "x - y", "a - b; one of them may be a number."),
    _pointwise("mul", np.multiply, _mul, "x * y", "a * b; one of them may be a number."),
    _pointwise("div", np.divide, _div, "x / y", "a / b; one of them may be a number."),
    _pointwise(
        "maximum",
        np.maximum,
        _maximum,
        "ops.maximum(a, b)",
        "The larger of a and b; NaN if either is.",
    ),
    _pointwise(
        "minimum",
        np.minimum,
        _minimum,
        "ops.minimum(a, b)",
        "The smaller of a and b; NaN if either is.",
    ),
    _pointwise("less", np.less, _less, "ops.less(a, b)", "1.0 where a < b, else 0.0."),
    _pointwise("greater", np.greater, _greater, "ops.greater(a, b)", "1.0 where a > b, else 0.0."),
    _pointwise(
        "less_equal",
        np.less_equal,
        _less_equal,
        "ops.less_equal(a, b)",
        "1.0 where a <= b, else 0.0.",
    ),
    _pointwise(
        "greater_equal",
        np.greater_equal,
        _greater_equal,
        "ops.greater_equal(a, b)",
        "1.0 where a >= b, else 0.0.",
    ),
    _pointwise("equal", np.equal, _equal, "ops.equal(a, b)", "1.0 where a == b, else 0.0."),
    _pointwise(
        "not_equal", np.not_equal, _not_equal, "ops.not_equal(a, b)", "1.0 where a != b, else 0.0."
    ),
    _pointwise(
        "where", M.where, _where, "ops.where(c, a, b)", "a where c is not 0 (NaN is not), else b."
    ),
    _pointwise("neg", np.negative, _neg, "-x", "-x."),
    _pointwise(
        "tanh",
        np.tanh,
        Code(E.tanh, ELEMENTARY),
        "ops.tanh(x)",
        "Hyperbolic tangent.",
        edges=(0.0, -0.625, 0.625),
    ),
    _pointwise(
        "sigmoid",
        M.sigmoid,
        Code(E.sigmoid, ELEMENTARY, absolute=1e-37),
        "ops.sigmoid(x)",
        "1 / (1 + exp(-x)), without overflow.",
        edges=(0.0, -87.0, 87.0),
    ),
    _pointwise("relu", M.relu, _relu, "ops.relu(x)", "max(x, 0)."),
    _pointwise(
        "gelu",
        M.gelu,
        Code(E.gelu, ELEMENTARY, absolute=3e-7),
        "ops.gelu(x)",
        "x * P(Z <= x) for a standard normal Z, by the error function (Hendrycks, Gimpel 2016).",
        # Beyond, an error of half a unit in x counts more than the function's.
        cuda=Code(E.gelu_tail, ELEMENTARY, within=(-5.0, math.inf)),
    ),
    _pointwise(
        "silu",
        M.silu,
        Code(E.silu, ELEMENTARY, absolute=1e-35),
        "ops.silu(x)",
        "x * sigmoid(x) (also called swish).",
        edges=(0.0, -87.0, 87.0),
    ),
    _pointwise(
        "softplus",
        M.softplus,
        Code(E.softplus, ELEMENTARY, absolute=1e-37),
        "ops.softplus(x)",
        "log(1 + e^x), without overflow.",
        edges=(0.0, -87.0, 87.0),
    ),
    _pointwise(
        "erf",
        M.erf,
        Code(E.erf, ELEMENTARY),
        "ops.erf(x)",
        "The error function.",
        edges=(0.0, -1.0, 1.0),
    ),
    _pointwise(
        "sin",
        np.sin,
        Code(E.sin, ELEMENTARY, absolute=2e-7),
        "ops.sin(x)",
        "Sine; beyond 8192 its error grows with x.",
        domain=(-8192.0, 8192.0),
    ),
    _pointwise(
        "cos",
        np.cos,
        Code(E.cos, ELEMENTARY, absolute=2e-7),
        "ops.cos(x)",
        "Cosine; beyond 8192 its error grows with x.",
        domain=(-8192.0, 8192.0),
    ),
    _pointwise(
        "exp",
        np.exp,
        Code(E.exp, ELEMENTARY, absolute=2e-45),
        "ops.exp(x)",
        "e^x.",
        edges=(0.0, -104.0, -103.0, -87.0, 87.0, 88.7, 88.8),
    ),
    _pointwise(
        "log",
        np.log,
        Code(E.log, ELEMENTARY, absolute=1e-37),
        "ops.log(x)",
        "Natural logarithm.",
        domain=_POSITIVE,
        edges=(0.0, 2.0**-0.5, 1.0, 2.0**0.5),
    ),
    _pointwise(
        "expm1",
        np.expm1,
        Code(E.expm1, ELEMENTARY),
        "ops.expm1(x)",
        "e^x - 1, also where e^x is near 1.",
        edges=(0.0, -0.35, 0.35, 88.7, 88.8),
    ),
    _pointwise(
        "log1p",
        np.log1p,
        Code(E.log1p, ELEMENTARY),
        "ops.log1p(x)",
        "log(1 + x), also where x is near 0.",
        domain=(-1.0, math.inf),
        edges=(-1.0, 0.0, 1.0),
    ),
    _pointwise(
        "pow",
        M.power,
        Code(E.pow, ELEMENTARY, absolute=2e-45),
        "x ** y`, `ops.pow(a, b)",
        "a to the power of b; one of them may be a number.",
        domain=_POSITIVE,
        edges=(0.0, 1.0),
    ),
    _pointwise("sqrt", np.sqrt, _sqrt, "ops.sqrt(x)", "Square root.", domain=_POSITIVE),
    _pointwise("rsqrt", M.rsqrt, _rsqrt, "", "1 / square root.", domain=_POSITIVE),
    _pointwise("abs", np.abs, _abs, "ops.abs(x)", "|x|."),
    _pointwise(
        "stop_gradient",
        np.positive,
        _same,
        "ops.stop_gradient(x)",
        "x, as a constant of whatever is differentiated.",
    ),
    _pointwise(
        "uniform",
        uniform,
        uniform_form,
        "",
        "A random number in [0, 1) for a position and a key of two numbers.",
        domain=(0.0, 2.0**BITS - 1),
    ),
)

POINTWISE = {op.name: op for op in _RECORDS}
