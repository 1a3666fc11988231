"""A neural stack (Grefenstette et al. 2015): a recurrent controller pushes, pops and reads."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Weights:
    emb: Float32[Tensor, "20 H"]
    w: Float32[Tensor, "3H H"]
    b: Float32[Tensor, "H"]
    w_push: Float32[Tensor, "H 1"]
    w_pop: Float32[Tensor, "H 1"]
    w_value: Float32[Tensor, "H H"]
    out: Float32[Tensor, "H 20"]


@ab.model
def run(p: Weights, tokens: list[int]) -> list[Float32[Tensor, "20"]]:
    size = p.b.shape[0]
    values: list[Float32[Tensor, "H"]] = []
    strengths: list[Float32[Tensor, "1"]] = []
    h = ops.zeros(size)
    read = ops.zeros(size)
    outputs = []
    for token in tokens:
        h = ops.tanh(ops.linear(ops.concat(p.emb[token], h, read), p.w, p.b))
        push = ops.sigmoid(h @ p.w_push)
        pop = ops.sigmoid(h @ p.w_pop)
        value = ops.tanh(h @ p.w_value)
        # From the top down.
        left = pop
        for i in reversed(range(len(strengths))):
            s = strengths[i]
            strengths[i] = ops.relu(s - left)
            left = ops.relu(left - s)
        values.append(value)
        strengths.append(push)
        room = ops.ones(1)
        read = ops.zeros(size)
        for s, v in zip(strengths[::-1], values[::-1], strict=False):
            read = read + ops.minimum(s, room) * v
            room = ops.relu(room - s)
        outputs.append(ops.softmax((h + read) @ p.out))
    return outputs


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 20, h) * 5,
        w=draw(rng, 3 * h, h),
        b=draw(rng, h),
        w_push=draw(rng, h, 1),
        w_pop=draw(rng, h, 1),
        w_value=draw(rng, h, h),
        out=draw(rng, h, 20),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 20, rng.integers(3, 9))] for _ in range(n)]


NATURAL = Natural("neural stack", run, weights, instances)
