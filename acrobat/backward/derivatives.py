"""The derivative of every operation, as operations: one function each, by the operation's name.

A rule gets an `Emitter`, the operation, the variable of its result, and the result's gradient, and
returns for every operand the gradient or None: there is none. Gradients of point-wise operations
have the result's shape; what was broadcast is summed afterwards. Conventions at edges are
PyTorch's: `relu` and `abs` have derivative 0 at 0, `maximum`, `minimum` and `max` divide a gradient
evenly among equals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ..ir import typed as T
from ..ir.ops import EPSILON
from .emitter import Emitter, dims_of, number

Gradient = T.Var | None
Rule = Callable[[Emitter, T.Op, T.Var, T.Var], tuple[Gradient, ...]]

# -- point-wise -------------------------------------------------------------------------------


def _add(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return d, d


def _sub(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return d, e.op("neg", d) if isinstance(op.args[1], T.Var) else None


def _mul(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    a, b = op.args
    return _if(a, lambda: e.mul(d, b)), _if(b, lambda: e.mul(d, a))


def _div(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    _, b = op.args
    quotient = e.div(d, b)
    return quotient, _if(b, lambda: e.op("neg", e.mul(quotient, y)))


def _larger(name: str) -> Rule:
    def rule(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
        a, b = op.args
        first = e.op(name, a, b)
        tie = e.mul(e.where(e.op("equal", a, b), d, 0.0), 0.5)
        second = e.op(name, b, a)
        return tuple(
            _if(x, lambda c=c: e.add(e.where(c, d, 0.0), tie))  # type: ignore[misc]
            for x, c in ((a, first), (b, second))
        )

    return rule


def _where(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    c, a, b = op.args
    return None, _if(a, lambda: e.where(c, d, 0.0)), _if(b, lambda: e.where(c, 0.0, d))


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

    return _if(a, base), _if(b, exponent)


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


def _constant(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return tuple(None for _ in op.args)


# -- products ---------------------------------------------------------------------------------


def matrix_operands(e: Emitter, op: T.Op, d: T.Var) -> tuple[T.Var, T.Var]:
    """The gradients of both operands of a product, each computed node by node."""
    return left_of_product(e, op, d), right_of_product(e, op, d)


def left_of_product(e: Emitter, op: T.Op, d: T.Var) -> T.Var:
    """The gradient of x in x @ w."""
    x, w = op.args[:2]
    assert isinstance(w, T.Var)
    if len(dims_of(w)) == 2:
        return e.op("matmul", d, e.op("transpose", w))
    return e.op("outer", d, w) if len(dims_of(x)) == 2 else e.mul(w, d)


def right_of_product(e: Emitter, op: T.Op, d: T.Var) -> T.Var:
    """The gradient of w in x @ w."""
    x, w = op.args[:2]
    assert isinstance(x, T.Var)
    matrix = len(dims_of(x)) == 2
    if len(dims_of(w)) == 2:
        return e.op("matmul", e.op("transpose", x), d) if matrix else e.op("outer", x, d)
    return e.op("matmul", d, x) if matrix else e.mul(x, d)


def _product(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    rest = [e.summed_to(d, dims_of(b)) for b in op.args[2:]]
    return (*matrix_operands(e, op, d), *rest)


def _outer(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    a, b = op.args
    return e.op("matmul", d, b), e.op("matmul", a, d)


def _attention(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    """Head by head; the weights of the values are computed anew from queries and keys."""
    query, key, value = op.args
    assert isinstance(query, T.Var) and isinstance(key, T.Var) and isinstance(value, T.Var)
    heads = op.attr("heads")
    assert isinstance(heads, int)
    width = dims_of(query)[1] // heads
    scale = 1.0 / math.sqrt(width)
    found: tuple[list[T.Var], list[T.Var], list[T.Var]] = ([], [], [])
    for h in range(heads):
        q, k, v, dy = (e.part(x, 1, h * width, (h + 1) * width) for x in (query, key, value, d))
        p = e.op("softmax", e.mul(e.op("matmul", q, e.op("transpose", k)), scale))
        dp = e.op("matmul", dy, e.op("transpose", v))
        ds = e.mul(_softmax_slope(e, p, dp), scale)
        found[0].append(e.op("matmul", ds, k))
        found[1].append(e.op("matmul", e.op("transpose", ds), q))
        found[2].append(e.op("matmul", e.op("transpose", p), dy))
    return tuple(parts[0] if heads == 1 else e.op("concat", *parts, axis=-1) for parts in found)


# -- elements moved about -----------------------------------------------------------------------


def _transpose(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.op("transpose", d),)


def _reshape(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.reshape(d, dims_of(op.args[0])),)


def _concat(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    axis = dict(op.attrs).get("axis", -1)
    assert isinstance(axis, int)
    axis %= len(dims_of(y))
    found: list[Gradient] = []
    at = 0
    for x in op.args:
        size = dims_of(x)[axis]
        found.append(e.part(d, axis, at, at + size))
        at += size
    return tuple(found)


def _stack(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    rows = (e.part(d, 0, i, i + 1) for i in range(len(op.args)))
    return tuple(e.reshape(r, dims_of(d)[1:]) for r in rows)


def _slice(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    """By itself; `Sums` puts the gradients of several slices together."""
    (x,) = op.args
    axis, start, stop = slice_of(op)
    dims = dims_of(x)
    parts: list[T.Var] = [d]
    for at, (low, high) in ((0, (0, start)), (len(parts), (stop, dims[axis]))):
        if low < high:
            gap = e.zeros((*dims[:axis], high - low, *dims[axis + 1 :]))
            parts.insert(at if at == 0 else len(parts), gap)
    return (d if len(parts) == 1 else e.op("concat", *parts, axis=axis),)


def slice_of(op: T.Op) -> tuple[int, int, int]:
    """Axis, start and stop of a slice."""
    axis, start, stop = dict(op.attrs).get("axis", 0), op.attr("start"), op.attr("stop")
    assert isinstance(axis, int) and isinstance(start, int) and isinstance(stop, int)
    return axis, start, stop


# -- along rows ---------------------------------------------------------------------------------


def _softmax_slope(e: Emitter, y: T.Var, d: T.Var) -> T.Var:
    return e.mul(y, e.sub(d, e.rows_sum(e.mul(d, y))))


def _softmax(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (_softmax_slope(e, y, d),)


def _log_softmax(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.sub(d, e.mul(e.op("exp", y), e.rows_sum(d))),)


def _rows_mean(e: Emitter, x: T.Var) -> T.Var:
    return e.mul(e.rows_sum(x), 1.0 / dims_of(x)[-1])


def _normalised(e: Emitter, x: T.Var, gain: T.Atom, d: T.Var) -> tuple[T.Var, T.Var, T.Var]:
    """Of x / sqrt(mean of squares + epsilon) * gain: that without the gain, its reciprocal root,
    and the gradient before the gain."""
    root = e.op("rsqrt", e.add(_rows_mean(e, e.mul(x, x)), number(EPSILON)))
    return e.mul(x, root), root, e.mul(d, gain)


def _rms_norm(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    x, gain = op.args
    assert isinstance(x, T.Var)
    normal, root, inner = _normalised(e, x, gain, d)
    dx = e.mul(root, e.sub(inner, e.mul(normal, _rows_mean(e, e.mul(inner, normal)))))
    return dx, e.summed_to(e.mul(d, normal), dims_of(gain))


def _layer_norm(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    x, gain, bias = op.args
    assert isinstance(x, T.Var)
    normal, root, inner = _normalised(e, e.sub(x, _rows_mean(e, x)), gain, d)
    rest = e.sub(inner, e.mul(normal, _rows_mean(e, e.mul(inner, normal))))
    dx = e.mul(root, e.sub(rest, _rows_mean(e, inner)))
    return dx, e.summed_to(e.mul(d, normal), dims_of(gain)), e.summed_to(d, dims_of(bias))


def _axis(op: T.Op) -> T.AttrValue:
    return "all" if len(dims_of(op.args[0])) == 1 else dict(op.attrs).get("axis", "all")


def _spread(e: Emitter, op: T.Op, x: T.Var) -> T.Var:
    """A number per row, column or tensor, so that it can be broadcast to what was reduced."""
    dims = dims_of(op.args[0])
    return e.reshape(x, (dims[0], 1)) if _axis(op) == -1 and len(dims) == 2 else x


def _reduced(op: T.Op) -> int:
    """How many elements went into one."""
    dims, axis = dims_of(op.args[0]), _axis(op)
    return math.prod(dims) if axis == "all" else dims[int(str(axis))]


def _sum(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.broadcast(_spread(e, op, d), dims_of(op.args[0])),)


def _mean(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    share = e.mul(_spread(e, op, d), 1.0 / _reduced(op))
    return (e.broadcast(share, dims_of(op.args[0])),)


def _max(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    (x,) = op.args
    largest = e.op("equal", x, _spread(e, op, y))
    count = e.op("sum", largest, axis=_axis(op))
    return (e.where(largest, e.div(_spread(e, op, d), _spread(e, op, count)), 0.0),)


def _logsumexp(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    (x,) = op.args
    return (e.mul(e.op("exp", e.sub(x, _spread(e, op, y))), _spread(e, op, d)),)


def _if(atom: T.Atom, make: Callable[[], T.Var]) -> Gradient:
    """What `make` gives for a tensor; a constant has no gradient."""
    return make() if isinstance(atom, T.Var) else None


DERIVATIVES: Mapping[str, Rule] = {
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
            *("argmax", "one_hot", "zeros", "eye", "parts", "positions", "triangle"),
        ),
        _constant,
    ),
    "matmul": _product,
    "linear": _product,
    "outer": _outer,
    "attention": _attention,
    "transpose": _transpose,
    "reshape": _reshape,
    "concat": _concat,
    "stack": _stack,
    "slice": _slice,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "sum": _sum,
    "mean": _mean,
    "max": _max,
    "logsumexp": _logsumexp,
}
