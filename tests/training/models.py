"""Small models with losses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Layer:
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    layers: list[Layer]
    out: Float32[Tensor, "H C"]
    extra: Float32[Tensor, "H"] | None


class Judged(NamedTuple):
    right: int
    loss: Float32[Tensor, ""]


@ab.model
def encode(p: P, words: list[int]) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.out.shape[0])
    for word in words:
        h = h + p.emb[word]
        for layer in p.layers:
            h = ops.tanh(ops.linear(h, layer.w, layer.b))
    return h


@ab.model
def judge(p: P, words: list[int], label: int) -> Judged:
    logits = encode(p, words) @ p.out
    best = ops.argmax(logits)
    loss = ops.logsumexp(logits) - ops.dot(ops.one_hot(label, p.out.shape[1]), logits)
    return Judged(1 if best == label else 0, loss)


@ab.model
def loss(p: P, words: list[int], label: int) -> Float32[Tensor, ""]:
    return judge(p, words, label).loss


@ab.model
def decides(p: P, words: list[int], label: int) -> Float32[Tensor, ""]:
    return ops.zeros(1)[0] + ops.item(ops.sum(p.out))


@ab.model
def counts(p: P, words: list[int]) -> int:
    return len(words)


def weights(seed: int = 0) -> P:
    """Seeded."""
    rng = np.random.default_rng(seed)

    def layer() -> Layer:
        return Layer(w=rng.normal(size=(4, 4)), b=rng.normal(size=4))

    return P(
        emb=rng.normal(size=(9, 4)),
        layers=[layer(), layer()],
        out=rng.normal(size=(4, 3)),
        extra=None,
    )


INSTANCES = [([1, 2, 1], 0), ([3], 2), ([2, 5], 1)]
