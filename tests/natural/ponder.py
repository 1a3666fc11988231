"""Adaptive computation time (Graves 2016) over words that are read letter by letter."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Weights:
    letters: Float32[Tensor, "26 H"]
    w_letter: Float32[Tensor, "2H H"]
    b_letter: Float32[Tensor, "H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    halt: Float32[Tensor, "H 1"]
    out: Float32[Tensor, "H H"]


@ab.model
def read_word(p: Weights, word: list[int]) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.b.shape[0])
    for letter in word:
        h = ops.tanh(ops.linear(ops.concat(p.letters[letter], h), p.w_letter, p.b_letter))
    return h


@ab.model
def ponder(p: Weights, words: list[list[int]]) -> Float32[Tensor, "H"]:
    state = ops.zeros(p.b.shape[0])
    for word in words:
        x = read_word(p, word)
        total = 0.0
        mean = ops.zeros(p.b.shape[0])
        for _ in range(8):
            state = ops.tanh(ops.linear(ops.concat(x, state), p.w, p.b))
            stop = ops.item(ops.sigmoid(state @ p.halt))
            if total + stop > 0.99:
                break
            mean = mean + state * stop
            total += stop
        state = mean + state * (1.0 - total)
    return state @ p.out


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        letters=draw(rng, 26, h) * 5,
        w_letter=draw(rng, 2 * h, h),
        b_letter=draw(rng, h),
        w=draw(rng, 2 * h, h),
        b=draw(rng, h),
        halt=draw(rng, h, 1),
        out=draw(rng, h, h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    def word() -> list[int]:
        return [int(i) for i in rng.integers(0, 26, rng.integers(1, 10))]

    return [[word() for _ in range(rng.integers(3, 25))] for _ in range(n)]


NATURAL = Natural("adaptive computation time", ponder, weights, instances)
