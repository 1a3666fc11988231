"""Sums, products and square roots: what every target has instructions for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...typed import Atom, Var
from ..arithmetic import Builder, Function, Number, divide
from ..definition import Array
from ..derivative import Gradient, Operations, if_tensor, unary
from .record import POSITIVE, pointwise


def _add(m: Builder, a: Number, b: Number) -> Number:
    return a + b


def _sub(m: Builder, a: Number, b: Number) -> Number:
    return a - b


def _mul(m: Builder, a: Number, b: Number) -> Number:
    return a * b


def _div(m: Builder, a: Number, b: Number) -> Number:
    return divide(a, b)


def _neg(m: Builder, x: Number) -> Number:
    return -x


def _abs(m: Builder, x: Number) -> Number:
    return Function("abs", x)


def _sqrt(m: Builder, x: Number) -> Number:
    return Function("sqrt", x)


def _rsqrt(m: Builder, x: Number) -> Number:
    return divide(1.0, Function("sqrt", x))


def _exact_rsqrt(x: Array) -> Array:
    return np.asarray(1 / np.sqrt(x))


Operands = Sequence[Atom]


def _of_add(e: Operations, operands: Operands, y: Var, d: Var) -> tuple[Gradient, ...]:
    return d, d


def _of_sub(e: Operations, operands: Operands, y: Var, d: Var) -> tuple[Gradient, ...]:
    return d, if_tensor(operands[1], lambda: e.op("neg", d))


def _of_mul(e: Operations, operands: Operands, y: Var, d: Var) -> tuple[Gradient, ...]:
    a, b = operands
    return if_tensor(a, lambda: e.mul(d, b)), if_tensor(b, lambda: e.mul(d, a))


def _of_div(e: Operations, operands: Operands, y: Var, d: Var) -> tuple[Gradient, ...]:
    _, b = operands
    quotient = e.div(d, b)
    return quotient, if_tensor(b, lambda: e.op("neg", e.mul(quotient, y)))


def _of_abs(e: Operations, x: Var, y: Var, d: Var) -> Var:
    negative = e.where(e.op("less", x, 0.0), e.op("neg", d), 0.0)
    return e.where(e.op("greater", x, 0.0), d, negative)


RECORDS = (
    pointwise(
        "add",
        np.add,
        _add,
        "x + y",
        "a + b; one of them may be a number.",
        derivative=_of_add,
        partials=(lambda g, y, a, b: g, lambda g, y, a, b: g),
    ),
    pointwise(
        "sub",
        np.subtract,
        _sub,
        "x - y",
        "a - b; one of them may be a number.",
        derivative=_of_sub,
        partials=(lambda g, y, a, b: g, lambda g, y, a, b: -g),
    ),
    pointwise(
        "mul",
        np.multiply,
        _mul,
        "x * y",
        "a * b; one of them may be a number.",
        derivative=_of_mul,
        partials=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    ),
    pointwise(
        "div",
        np.divide,
        _div,
        "x / y",
        "a / b; one of them may be a number.",
        derivative=_of_div,
        partials=(lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b),
    ),
    pointwise(
        "neg",
        np.negative,
        _neg,
        "-x",
        "-x.",
        derivative=unary(lambda e, x, y, d: e.op("neg", d)),
        partials=(lambda g, y, x: -g,),
    ),
    pointwise(
        "abs",
        np.abs,
        _abs,
        "ops.abs(x)",
        "|x|.",
        derivative=unary(_of_abs),
        partials=(lambda g, y, x: g * np.sign(x),),
    ),
    pointwise(
        "sqrt",
        np.sqrt,
        _sqrt,
        "ops.sqrt(x)",
        "Square root.",
        domain=POSITIVE,
        derivative=unary(lambda e, x, y, d: e.div(e.mul(d, 0.5), y)),
        partials=(lambda g, y, x: g / (2 * y),),
    ),
    pointwise(
        "rsqrt",
        _exact_rsqrt,
        _rsqrt,
        "",
        "1 / square root.",
        domain=POSITIVE,
        derivative=unary(lambda e, x, y, d: e.mul(d, e.mul(e.mul(y, e.mul(y, y)), -0.5))),
        partials=(lambda g, y, x: g * -0.5 * y / x,),
    ),
)
