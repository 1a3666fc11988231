"""Derivatives of point-wise operations. What was broadcast is summed by who calls the rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ...ir import typed as T
from ..emitter import Emitter, number
from .rule import Gradient, Rule, constant, if_tensor


def _add(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return d, d


def _sub(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return d, e.op("neg", d) if isinstance(op.args[1], T.Var) else None


def _mul(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    a, b = op.args
    return if_tensor(a, lambda: e.mul(d, b)), if_tensor(b, lambda: e.mul(d, a))


def _div(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    _, b = op.args
    quotient = e.div(d, b)
    return quotient, if_tensor(b, lambda: e.op("neg", e.mul(quotient, y)))


def _larger(name: str) -> Rule:
    def rule(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
        a, b = op.args
        first = e.op(name, a, b)
        tie = e.mul(e.where(e.op("equal", a, b), d, 0.0), 0.5)
        second = e.op(name, b, a)
        return tuple(
            if_tensor(x, lambda c=c: e.add(e.where(c, d, 0.0), tie))  # type: ignore[misc]
            for x, c in ((a, first), (b, second))
        )

    return rule


def _where(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    c, a, b = op.args
    return None, if_tensor(a, lambda: e.where(c, d, 0.0)), if_tensor(b, lambda: e.where(c, 0.0, d))


def _pow(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    a, b = op.args

    def base() -> T.Var:
        if isinstance(b, T.Const) and b.value == 2:
            return e.mul(e.mul(d, a), 2.0)
        less = number(float(b.value) - 1.0) if isinstance(b, T.Const) else e.sub(b, number(1.0))
        slope = e.mul(e.op("pow", a, less), b)
        if isinstance(b, T.Var):  # x^0 is 1 everywhere
            slope = e.where(b, slope, 0.0)
        return e.mul(d, slope)

    def exponent() -> T.Var:
        log = e.op("log", a) if isinstance(a, T.Var) else number(_log(float(a.value)))
        return e.mul(d, e.where(e.op("equal", y, number(0.0)), 0.0, e.mul(y, log)))

    return if_tensor(a, base), if_tensor(b, exponent)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _unary(rule: Callable[[Emitter, T.Var, T.Var, T.Var], T.Var]) -> Rule:
    """From emitter, operand, result and its gradient to the operand's gradient."""

    def of(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
        (x,) = op.args
        assert isinstance(x, T.Var)
        return (rule(e, x, y, d),)

    return of


def _one_minus(e: Emitter, x: T.Atom) -> T.Var:
    return e.sub(number(1.0), x)


def _gelu(e: Emitter, x: T.Var, y: T.Var, d: T.Var) -> T.Var:
    below = e.mul(e.add(e.op("erf", e.mul(x, math.sqrt(0.5))), number(1.0)), 0.5)
    density = e.mul(e.op("exp", e.mul(e.mul(x, x), -0.5)), 1.0 / math.sqrt(2.0 * math.pi))
    return e.mul(d, e.add(below, e.mul(x, density)))


def _silu(e: Emitter, x: T.Var, y: T.Var, d: T.Var) -> T.Var:
    s = e.op("sigmoid", x)
    return e.mul(d, e.mul(s, e.add(e.mul(x, _one_minus(e, s)), number(1.0))))


def _abs(e: Emitter, x: T.Var, y: T.Var, d: T.Var) -> T.Var:
    zero = number(0.0)
    negative = e.where(e.op("less", x, zero), e.op("neg", d), 0.0)
    return e.where(e.op("greater", x, zero), d, negative)


_UNARY: Mapping[str, Callable[[Emitter, T.Var, T.Var, T.Var], T.Var]] = {
    "neg": lambda e, x, y, d: e.op("neg", d),
    "tanh": lambda e, x, y, d: e.mul(d, _one_minus(e, e.mul(y, y))),
    "sigmoid": lambda e, x, y, d: e.mul(d, e.mul(y, _one_minus(e, y))),
    "relu": lambda e, x, y, d: e.where(e.op("greater", y, number(0.0)), d, 0.0),
    "gelu": _gelu,
    "silu": _silu,
    "softplus": lambda e, x, y, d: e.mul(d, e.op("sigmoid", x)),
    "erf": lambda e, x, y, d: e.mul(
        d, e.mul(e.op("exp", e.op("neg", e.mul(x, x))), 2.0 / math.sqrt(math.pi))
    ),
    "sin": lambda e, x, y, d: e.mul(d, e.op("cos", x)),
    "cos": lambda e, x, y, d: e.op("neg", e.mul(d, e.op("sin", x))),
    "exp": lambda e, x, y, d: e.mul(d, y),
    "log": lambda e, x, y, d: e.div(d, x),
    "expm1": lambda e, x, y, d: e.mul(d, e.op("exp", x)),
    "log1p": lambda e, x, y, d: e.div(d, e.add(x, number(1.0))),
    "sqrt": lambda e, x, y, d: e.div(e.mul(d, 0.5), y),
    "rsqrt": lambda e, x, y, d: e.mul(d, e.mul(e.mul(y, e.mul(y, y)), -0.5)),
    "abs": _abs,
}


POINTWISE: Mapping[str, Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "maximum": _larger("greater"),
    "minimum": _larger("less"),
    "where": _where,
    "pow": _pow,
    **{name: _unary(rule) for name, rule in _UNARY.items()},
    **dict.fromkeys(
        (
            *("less", "greater", "less_equal", "greater_equal", "equal", "not_equal"),
            *("stop_gradient", "uniform"),
        ),
        constant,
    ),
}
