"""Hierarchical attention (Yang et al. 2016) with several heads (Vaswani et al. 2017)."""

from __future__ import annotations

import math

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Att:
    wq: Float32[Tensor, "D D"]
    wk: Float32[Tensor, "D D"]
    wv: Float32[Tensor, "D D"]
    wo: Float32[Tensor, "D D"]
    heads: int = 2

    def __call__(self, xs):
        x = ops.stack(xs)
        q, k, v = x @ self.wq, x @ self.wk, x @ self.wv
        d = q.shape[-1] // self.heads
        outs = []
        for h in range(self.heads):
            a, b = h * d, (h + 1) * d
            scores = q[:, a:b] @ k[:, a:b].T / math.sqrt(d)
            outs.append(ops.softmax(scores) @ v[:, a:b])
        y = ops.concat(outs, axis=-1) @ self.wo
        return [row + x for row, x in zip(y, xs)]


@ab.params
class HAN:
    emb: Float32[Tensor, "V D"]
    word: Att
    sent: Att
    q: Float32[Tensor, "D"]
    out: Float32[Tensor, "D C"]


def pool(xs, q):
    m = ops.stack(xs)
    return ops.softmax(m @ q) @ m


@ab.model
def han(p: HAN, doc: list[list[int]]):
    sents = [pool(p.word([p.emb[w] for w in s]), p.q) for s in doc if s]
    if not sents:
        return ops.zeros_like(p.out[0])
    return ops.softmax(pool(p.sent(sents), p.q) @ p.out)
