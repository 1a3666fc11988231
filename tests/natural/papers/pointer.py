"""Pointer network (Vinyals et al. 2015) for tours: decodes a permutation of points, greedily, by masking what was visited."""

from __future__ import annotations

import math

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Point:
    x: float
    y: float


@ab.params
class PointerNet:
    w_in: Float32[Tensor, "2 H"]
    w_enc: Float32[Tensor, "2H H"]
    b_enc: Float32[Tensor, "H"]
    w_dec: Float32[Tensor, "2H H"]
    b_dec: Float32[Tensor, "H"]
    w_ref: Float32[Tensor, "H H"]
    w_q: Float32[Tensor, "H H"]
    v: Float32[Tensor, "H"]


@ab.model
def tour(p: PointerNet, points: list[Point]) -> tuple[list[int], float]:
    inputs = [ops.tanh(q.x * p.w_in[0] + q.y * p.w_in[1]) for q in points]
    h = ops.zeros_like(p.b_enc)
    states = []
    for x in inputs:
        h = ops.tanh(ops.linear(ops.concat(x, h), p.w_enc, p.b_enc))
        states.append(h)
    refs = [s @ p.w_ref for s in states]
    visited = [False] * len(points)
    order: list[int] = []
    x = ops.zeros_like(p.b_enc)
    for _ in points:
        h = ops.tanh(ops.linear(ops.concat(x, h), p.w_dec, p.b_dec))
        q = h @ p.w_q
        scores = {i: float(ops.tanh(r + q) @ p.v) for i, r in enumerate(refs) if not visited[i]}
        best = max(scores, key=scores.get)
        visited[best] = True
        order.append(best)
        x = inputs[best]
    length = sum(
        math.dist((points[a].x, points[a].y), (points[b].x, points[b].y))
        for a, b in zip(order, order[1:] + order[:1])
    )
    return order, length
