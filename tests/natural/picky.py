"""A bag of the words that matter: a decision per word, and a sum."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Weights:
    emb: Float32[Tensor, "50 H"]
    score: Float32[Tensor, "H 1"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]
    out: Float32[Tensor, "H H"]


@ab.model
def summary(p: Weights, words: list[int]) -> Float32[Tensor, "H"]:
    total = ops.zeros(p.b.shape[0])
    for word in words:
        x = p.emb[word]
        if ops.item(x @ p.score) > 0.0:
            total = total + ops.tanh(ops.linear(x, p.w, p.b))
    return total @ p.out


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 50, h) * 5,
        score=draw(rng, h, 1),
        w=draw(rng, h, h),
        b=draw(rng, h),
        out=draw(rng, h, h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 50, rng.integers(5, 25))] for _ in range(n)]


NATURAL = Natural("a decision per iteration", summary, weights, instances)
