"""Tagging with BiRNN: the sum of the cross-entropies of a sentence's tokens, each with one of 16
tags. Tags are random: the cost of a step does not depend on them."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..birnn import CLASSES, BiRNN, make_params, rnn
from ..birnn import make_instances as make_sentences
from ..data.source import TreeSource
from .api import Loss


@ab.data
class Sentence:
    words: list[int]
    tags: list[int]


@ab.model
def token_loss(
    p: BiRNN, f: Float32[Tensor, "H"], b: Float32[Tensor, "H"], tag: int
) -> Float32[Tensor, ""]:
    return ops.cross_entropy(ops.linear(ops.concat(f, b), p.w_out, p.b_out), tag)


@ab.model
def loss(p: BiRNN, sentence: Sentence) -> Float32[Tensor, ""]:
    xs = [p.emb[w] for w in sentence.words]
    forward, backward = ab.parallel(rnn(p.forward, xs), rnn(p.backward, xs[::-1]))
    ab.phase()
    total = ops.sum(ops.zeros(1))
    for f, b, tag in zip(forward, reversed(backward), sentence.tags, strict=False):
        total = total + token_loss(p, f, b, tag)
    return total


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Sentence]:
    """The sentences of the workload's mini-batch, with tags."""
    rng = np.random.default_rng([seed, batch, 103])
    return [
        Sentence(words, rng.integers(CLASSES, size=len(words)).tolist())
        for words in make_sentences(size, batch, seed, source)
    ]


LOSS = Loss(
    about="a tag of every token",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p,
    bare=lambda sentence: sentence.words,
    rows=lambda sentence: len(sentence.words),
)
