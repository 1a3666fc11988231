"""Attention: scores per head, softmax over the keys, the weighted sum of the values."""

from __future__ import annotations

import math

from ...ir import typed as T
from ..specification.expr import Product
from .context import Context
from .movement import reshaped, transposed
from .reduction import softmax
from .values import Segment, Value


def lower_attention(context: Context, op: T.Op, out: T.Var) -> Value:
    """softmax(q_h k_h^T / sqrt(d)) v_h for every head h, side by side. q, k, v are [S, H].

    The keys are transposed once, so that scores are contractions with contiguous columns; the
    scores of all heads lie side by side, [S, heads * S], which in memory is also [S * heads, S], so
    that the softmax is one row kernel.
    """
    heads = op.attr("heads")
    assert isinstance(heads, int)
    query, key, value = (context.value(a) for a in op.args)
    pool, placing = context.pool, context.placing
    s, d = query.rows, query.width // heads
    q, v = placing.dense(query), placing.dense(value)
    # `dense` stores the keys row by row, if they are not yet, before they are transposed.
    k = placing.dense(key)
    in_memory = Value(s, ((query.width, k),))
    keys = placing.load(placing.stored_whole(transposed(context, in_memory)))
    scale = pool.number(1.0 / math.sqrt(d))
    scores: list[Segment] = []
    for n in range(heads):
        product = Product(
            x=q.region,
            offset=q.start + n * d,
            k=d,
            row_stride=q.row_stride,
            k_stride=1,
            row=s,
            col=keys.start + n * d * s,
            matrix=keys.region,
        )
        scores.append((s, pool.apply("mul", pool.contraction([product]), scale)))
    stored = placing.read(placing.stored_whole(Value(s, tuple(scores))))
    weights = softmax(context, reshaped(context, stored, s * heads, s))
    flat = Value(s * heads, ((s, placing.dense(weights)),))
    p = placing.dense(reshaped(context, flat, s, heads * s))
    parts: list[Segment] = []
    for n in range(heads):
        product = Product(
            x=p.region,
            offset=p.start + n * s,
            k=s,
            row_stride=p.row_stride,
            k_stride=1,
            row=v.row_stride,
            col=v.start + n * d,
            matrix=v.region,
        )
        parts.append((d, pool.contraction([product])))
    return Value(s, tuple(parts))
