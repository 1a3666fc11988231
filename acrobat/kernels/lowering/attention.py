"""Attention: scores per head, softmax over the keys, the weighted sum of the values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..specification.expr import Product
from .placing import Value
from .reduction import softmax

if TYPE_CHECKING:
    from .block import Lowering


def attention(lowering: Lowering, q: Value, k: Value, v: Value, heads: int) -> Value:
    """softmax(q_h k_h^T / sqrt(d)) v_h for every head h, side by side. q, k, v are [S, H].

    The keys are transposed once, so that scores are contractions with contiguous columns; the
    scores of all heads lie side by side, [S, heads * S], which is also [S * heads, S]: the softmax
    is one row kernel.
    """
    pool = lowering.pool
    q, v = lowering.dense(q), lowering.dense(v)
    keys = lowering.read(lowering.stored_whole(lowering.transposed(lowering.dense(k))))
    s, h = q.rows, q.width
    d = h // heads
    q_kind, q_number, q_start, q_stride, _ = pool.nodes[q.segments[0][1]]
    k_kind, k_number, k_start, _, _ = pool.nodes[keys.segments[0][1]]
    v_kind, v_number, v_start, v_stride, _ = pool.nodes[v.segments[0][1]]
    scale = pool.add("lit", 1.0 / math.sqrt(d))
    scores = []
    for n in range(heads):
        product = Product(
            (q_kind, q_number),
            q_start + n * d,
            d,
            q_stride,
            1,
            s,
            k_start + n * d * s,
            matrix=(k_kind, k_number),
        )
        scores.append((s, pool.add("mul", pool.add("acc", (product,)), scale)))
    flat = lowering.reshaped(
        lowering.read(lowering.stored_whole(Value(s, tuple(scores)))), s * heads, s
    )
    shares = lowering.reshaped(lowering.dense(softmax(lowering, flat)), s, heads * s)
    kind, number, start, stride, _ = pool.nodes[shares.segments[0][1]]
    parts = []
    for n in range(heads):
        product = Product(
            (kind, number),
            start + n * s,
            s,
            stride,
            1,
            v_stride,
            v_start + n * d,
            matrix=(v_kind, v_number),
        )
        parts.append((d, pool.add("acc", (product,))))
    return Value(s, tuple(parts))
