"""A mixture of experts (Shazeer et al. 2017), one token after the other in a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Weights:
    emb: Float32[Tensor, "50 H"]
    gate: Float32[Tensor, "H 4"]
    e0: Float32[Tensor, "H H"]
    e1: Float32[Tensor, "H H"]
    e2: Float32[Tensor, "H H"]
    e3: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def expert(p: Weights, k: int, x: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    if k == 0:
        return ops.relu(ops.linear(x, p.e0, p.b))
    if k == 1:
        return ops.relu(ops.linear(x, p.e1, p.b))
    if k == 2:
        return ops.relu(ops.linear(x, p.e2, p.b))
    return ops.relu(ops.linear(x, p.e3, p.b))


@ab.model
def mixture(p: Weights, words: list[int]) -> list[Float32[Tensor, "H"]]:
    found: list[Float32[Tensor, "H"]] = []
    for word in words:
        x = p.emb[word]
        k = ops.argmax(x @ p.gate)
        found.append(x + expert(p, k, x))
    return found


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 50, h) * 5,
        gate=draw(rng, h, 4),
        e0=draw(rng, h, h),
        e1=draw(rng, h, h),
        e2=draw(rng, h, h),
        e3=draw(rng, h, h),
        b=draw(rng, h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 50, rng.integers(5, 25))] for _ in range(n)]


NATURAL = Natural("mixture of experts in a loop", mixture, weights, instances)
