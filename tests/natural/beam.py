"""Beam search with two hypotheses: in each step every hypothesis offers its two best tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.data
class Hypothesis:
    state: Float32[Tensor, "H"]
    score: float
    token: int
    length: int


@ab.params
class Weights:
    source: Float32[Tensor, "40 H"]
    target: Float32[Tensor, "20 H"]
    w_enc: Float32[Tensor, "2H H"]
    b_enc: Float32[Tensor, "H"]
    w_dec: Float32[Tensor, "2H H"]
    b_dec: Float32[Tensor, "H"]
    out: Float32[Tensor, "H 20"]


@ab.model
def grow(p: Weights, hyp: Hypothesis) -> list[Hypothesis]:
    x = ops.concat(p.target[hyp.token], hyp.state)
    h = ops.tanh(ops.linear(x, p.w_dec, p.b_dec))
    chances = ops.softmax(h @ p.out)
    first = ops.argmax(chances)
    best = ops.item(ops.max(chances))
    rest = chances - ops.one_hot(first, 20)
    second = ops.argmax(rest)
    next_best = ops.item(ops.max(rest))
    return [
        Hypothesis(h, hyp.score * best, first, hyp.length + 1),
        Hypothesis(h, hyp.score * next_best, second, hyp.length + 1),
    ]


@ab.model
def search(p: Weights, words: list[int]) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.b_enc.shape[0])
    for word in words:
        h = ops.tanh(ops.linear(ops.concat(p.source[word], h), p.w_enc, p.b_enc))
    beam = [Hypothesis(h, 1.0, 1, 0)]
    for _ in range(2 * len(words)):
        found: list[Hypothesis] = []
        for hyp in beam:
            if hyp.token == 0:
                found.append(hyp)
            else:
                found += grow(p, hyp)
        one, two = found[0], found[0]
        for hyp in found[1:]:
            if hyp.score > one.score:
                two = one
                one = hyp
            elif hyp.score > two.score or two.score == one.score:
                two = hyp
        beam = [one, two]
        if one.token == 0 and two.token == 0:
            break
    return beam[0].state


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        source=draw(rng, 40, h) * 5,
        target=draw(rng, 20, h) * 5,
        w_enc=draw(rng, 2 * h, h),
        b_enc=draw(rng, h),
        w_dec=draw(rng, 2 * h, h),
        b_dec=draw(rng, h),
        out=draw(rng, h, 20) * 3,
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 40, rng.integers(3, 20))] for _ in range(n)]


NATURAL = Natural("beam search", search, weights, instances)
