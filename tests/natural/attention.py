"""A layer of a transformer, in numpy: causal attention with four heads, and a feed-forward part."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor

from .model import Natural, draw

HEADS = 4


@ab.params
class Weights:
    emb: Float32[Tensor, "40 H"]
    wq: Float32[Tensor, "H H"]
    wk: Float32[Tensor, "H H"]
    wv: Float32[Tensor, "H H"]
    wo: Float32[Tensor, "H H"]
    w1: Float32[Tensor, "H 4H"]
    b1: Float32[Tensor, "4H"]
    w2: Float32[Tensor, "4H H"]
    b2: Float32[Tensor, "H"]
    gain: Float32[Tensor, "H"]
    shift: Float32[Tensor, "H"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, shift):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * gain + shift


def attention(p: Weights, x):
    n, size = len(x), p.wq.shape[1] // HEADS
    q, k, v = x @ p.wq, x @ p.wk, x @ p.wv
    mask = np.triu(np.full((n, n), -1e9), k=1)
    heads = []
    for i in range(HEADS):
        a, b = i * size, (i + 1) * size
        scores = q[:, a:b] @ k[:, a:b].T / np.sqrt(size) + mask
        heads.append(softmax(scores) @ v[:, a:b])
    return np.concatenate(heads, axis=-1) @ p.wo


@ab.model
def layer(p: Weights, words: list[int]) -> Float32[Tensor, "H"]:
    x = p.emb[words]
    x = layer_norm(x + attention(p, x), p.gain, p.shift)
    hidden = np.maximum(x @ p.w1 + p.b1, 0.0)
    x = layer_norm(x + hidden @ p.w2 + p.b2, p.gain, p.shift)
    return x.mean(axis=0)


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        emb=draw(rng, 40, h) * 5,
        wq=draw(rng, h, h),
        wk=draw(rng, h, h),
        wv=draw(rng, h, h),
        wo=draw(rng, h, h),
        w1=draw(rng, h, 4 * h),
        b1=draw(rng, 4 * h),
        w2=draw(rng, 4 * h, h),
        b2=draw(rng, h),
        gain=np.ones(h),
        shift=np.zeros(h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    return [[int(w) for w in rng.integers(0, 40, rng.integers(3, 30))] for _ in range(n)]


NATURAL = Natural("transformer layer", layer, weights, instances)
