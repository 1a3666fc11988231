"""Trees of words, pairs and lists: pairs have a cell of their own, lists are summed (Tai et al.
2015)."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.data
class Word:
    word: int


@ab.data
class Pair:
    left: Word | Pair | Many
    right: Word | Pair | Many


@ab.data
class Many:
    word: int
    children: list[Word | Pair | Many]


@ab.params
class Weights:
    emb: Float32[Tensor, "50 H"]
    w_pair: Float32[Tensor, "2H H"]
    b_pair: Float32[Tensor, "H"]
    w_input: Float32[Tensor, "2H H"]
    w_forget: Float32[Tensor, "2H H"]
    b_forget: Float32[Tensor, "H"]


State = tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]


@ab.model
def encode(p: Weights, t: Word | Pair | Many) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    match t:
        case Word(word):
            x = p.emb[word]
            return ops.tanh(x), x
        case Pair(left, right):
            hl, cl = encode(p, left)
            hr, cr = encode(p, right)
            c = cl + cr + ops.linear(ops.concat(hl, hr), p.w_pair, p.b_pair)
            return ops.tanh(c), c
        case Many(word, children):
            x = p.emb[word]
            h = ops.zeros(p.b_pair.shape[0])
            c = ops.zeros(p.b_pair.shape[0])
            for child in children:
                hk, ck = encode(p, child)
                forget = ops.sigmoid(ops.linear(ops.concat(x, hk), p.w_forget, p.b_forget))
                h = h + hk
                c = c + forget * ck
            c = c + ops.tanh(ops.concat(x, h) @ p.w_input)
            return ops.tanh(c), c


@ab.model
def root(p: Weights, t: Word | Pair | Many) -> Float32[Tensor, "H"]:
    h, _ = encode(p, t)
    return h


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 50, h) * 5,
        w_pair=draw(rng, 2 * h, h),
        b_pair=draw(rng, h),
        w_input=draw(rng, 2 * h, h),
        w_forget=draw(rng, 2 * h, h),
        b_forget=draw(rng, h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    def word() -> int:
        return int(rng.integers(0, 50))

    def tree(size: int) -> Word | Pair | Many:
        if size <= 1:
            return Word(word())
        if rng.random() < 0.5:
            left = int(rng.integers(1, size))
            return Pair(tree(left), tree(size - left))
        children = []
        left = size - 1
        while left > 0:
            part = int(rng.integers(1, left + 1))
            children.append(tree(part))
            left -= part
        return Many(word(), children)

    return [tree(int(rng.integers(5, 60))) for _ in range(n)]


NATURAL = Natural("mixed child-sum", root, weights, instances)
