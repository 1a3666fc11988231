"""Derivatives of products, and of attention, which consists of products."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...ir import typed as T
from ..emitter import Emitter, dims_of
from .rows import softmax_slope
from .rule import Gradient, Rule


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
    """Head by head; the attention weights are recomputed from queries and keys."""
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
        ds = e.mul(softmax_slope(e, p, dp), scale)
        found[0].append(e.op("matmul", ds, k))
        found[1].append(e.op("matmul", e.op("transpose", ds), q))
        found[2].append(e.op("matmul", e.op("transpose", p), dy))
    return tuple(parts[0] if heads == 1 else e.op("concat", *parts, axis=-1) for parts in found)


PRODUCTS: Mapping[str, Rule] = {
    "matmul": _product,
    "linear": _product,
    "outer": _outer,
    "attention": _attention,
}
