"""End-to-end memory network (Sukhbaatar et al. 2015): hops over sentences, adjacent weight tying, position encoding."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Story:
    sentences: list[list[int]]
    question: list[int]
    answer: int = 0


@ab.params
class MemN2N:
    embeddings: list[Float32[Tensor, "V H"]]  # hops + 1
    temporal: Float32[Tensor, "20 H"]
    out: Float32[Tensor, "H V"]
    hidden: int = 6


def position(j, length, k, d):
    return (1 - j / length) - (k / d) * (1 - 2 * j / length)


@ab.model
def encode(p: MemN2N, table, words):
    total = ops.zeros(p.hidden)
    for j, word in enumerate(words, start=1):
        weights = [position(j, len(words), k, p.hidden) for k in range(1, p.hidden + 1)]
        total += table[word] * ops.stack(weights)
    return total


@ab.model
def answer(p: MemN2N, story: Story) -> tuple[Float32[Tensor, "V"], list[list[float]]]:
    recent = story.sentences[-20:]
    u = encode(p, p.embeddings[0], story.question)
    attentions = []
    for a, c in zip(p.embeddings[:-1], p.embeddings[1:]):
        if not recent:
            break
        keys = ops.stack([encode(p, a, s) + p.temporal[i] for i, s in enumerate(recent)])
        values = ops.stack([encode(p, c, s) for s in recent])
        weights = ops.softmax(keys @ u)
        attentions.append([float(w) for w in weights])
        u = u + weights @ values
    return ops.log_softmax(u @ p.out), attentions
