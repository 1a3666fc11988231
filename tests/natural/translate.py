"""Greedy decoding with attention over the source (Bahdanau et al. 2015), written as a fold."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Weights:
    source: Float32[Tensor, "40 H"]
    target: Float32[Tensor, "20 H"]
    w_enc: Float32[Tensor, "2H H"]
    b_enc: Float32[Tensor, "H"]
    w_query: Float32[Tensor, "H H"]
    w_dec: Float32[Tensor, "3H H"]
    b_dec: Float32[Tensor, "H"]
    out: Float32[Tensor, "H 20"]


@ab.model
def attend(
    p: Weights, query: Float32[Tensor, "H"], states: list[Float32[Tensor, "H"]]
) -> Float32[Tensor, "H"]:
    total = ops.zeros(p.b_enc.shape[0])
    weight = 0.0001
    norm = ops.sum(total) + weight
    for state in states:
        a = ops.exp(ops.sum(query * state))
        total = total + a * state
        norm = norm + a
    return total / norm


@ab.model
def translate(p: Weights, words: list[int]) -> Float32[Tensor, "H"]:
    states: list[Float32[Tensor, "H"]] = []
    h = ops.zeros(p.b_enc.shape[0])
    for word in words:
        h = ops.tanh(ops.linear(ops.concat(p.source[word], h), p.w_enc, p.b_enc))
        states.append(h)
    token = 0
    for _ in range(30):
        context = attend(p, h @ p.w_query, states)
        x = ops.concat(p.target[token], context, h)
        h = ops.tanh(ops.linear(x, p.w_dec, p.b_dec))
        token = ops.argmax(h @ p.out)
        if token == 0:
            break
    return h


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        source=draw(rng, 40, h) * 5,
        target=draw(rng, 20, h) * 5,
        w_enc=draw(rng, 2 * h, h),
        b_enc=draw(rng, h),
        w_query=draw(rng, h, h) / 4,
        w_dec=draw(rng, 3 * h, h),
        b_dec=draw(rng, h),
        out=draw(rng, h, 20),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 40, rng.integers(3, 30))] for _ in range(n)]


NATURAL = Natural("greedy decoding with a fold", translate, weights, instances)
