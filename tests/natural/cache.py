"""A decoder of two layers that keeps its keys and values in lists (Vaswani et al. 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.params
class Layer:
    wq: Float32[Tensor, "H H"]
    wk: Float32[Tensor, "H H"]
    wv: Float32[Tensor, "H H"]
    wo: Float32[Tensor, "H H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.params
class Weights:
    emb: Float32[Tensor, "40 H"]
    one: Layer
    two: Layer


@ab.model
def attend(
    q: Float32[Tensor, "H"], keys: list[Float32[Tensor, "H"]], values: list[Float32[Tensor, "H"]]
) -> Float32[Tensor, "H"]:
    a = ops.exp(ops.sum(q * keys[0]))
    total = a * values[0]
    norm = a
    for i in range(1, len(keys)):
        a = ops.exp(ops.sum(q * keys[i]))
        total = total + a * values[i]
        norm = norm + a
    return total / norm


@ab.model
def feed(p: Layer, x: Float32[Tensor, "H"], y: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    z = x + y @ p.wo
    return z + ops.relu(ops.linear(z, p.w, p.b))


@ab.model
def decode(p: Weights, words: list[int]) -> Float32[Tensor, "H"]:
    keys_one: list[Float32[Tensor, "H"]] = []
    values_one: list[Float32[Tensor, "H"]] = []
    keys_two: list[Float32[Tensor, "H"]] = []
    values_two: list[Float32[Tensor, "H"]] = []
    x = ops.zeros(p.one.b.shape[0])
    for word in words:
        x = p.emb[word]
        keys_one = [*keys_one, x @ p.one.wk]
        values_one = [*values_one, x @ p.one.wv]
        x = feed(p.one, x, attend(x @ p.one.wq, keys_one, values_one))
        keys_two = [*keys_two, x @ p.two.wk]
        values_two = [*values_two, x @ p.two.wv]
        x = feed(p.two, x, attend(x @ p.two.wq, keys_two, values_two))
    return x


def weights(rng: np.random.Generator, h: int) -> Weights:
    def layer() -> Layer:
        return Layer(
            wq=draw(rng, h, h) / 3,
            wk=draw(rng, h, h) / 3,
            wv=draw(rng, h, h),
            wo=draw(rng, h, h),
            w=draw(rng, h, h),
            b=draw(rng, h),
        )

    return Weights(emb=draw(rng, 40, h), one=layer(), two=layer())


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 40, rng.integers(3, 25))] for _ in range(n)]


NATURAL = Natural("decoder with its cache in lists", decode, weights, instances)
