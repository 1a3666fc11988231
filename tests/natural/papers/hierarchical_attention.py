"""Hierarchical attention network (Yang et al. 2016): words to sentences to a document; with a title, if there is one."""

from __future__ import annotations

from typing import Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Document:
    sentences: list[list[int]]
    title: Optional[list[int]]
    stars: Optional[float] = None


@ab.params
class GRU:
    w: Float32[Tensor, "I 3H"]
    u: Float32[Tensor, "H 3H"]
    b: Float32[Tensor, "3H"]

    def step(self, x, h):
        xr, xz, xn = ops.split(x @ self.w + self.b, 3)
        hr, hz, hn = ops.split(h @ self.u, 3)
        r, z = ops.sigmoid(xr + hr), ops.sigmoid(xz + hz)
        n = ops.tanh(xn + r * hn)
        return z * h + (1.0 - z) * n

    def run(self, xs):
        h = ops.zeros(self.u.shape[0])
        out = []
        for x in xs:
            h = self.step(x, h)
            out.append(h)
        return out


@ab.params
class Encoder:
    forward: GRU
    backward: GRU
    w: Float32[Tensor, "2H A"]
    b: Float32[Tensor, "A"]
    context: Float32[Tensor, "A"]

    def encode(self, xs):
        fwd = self.forward.run(xs)
        bwd = self.backward.run(xs[::-1])[::-1]
        states = ops.stack([ops.concat(f, b) for f, b in zip(fwd, bwd)])
        weights = ops.softmax(ops.tanh(ops.linear(states, self.w, self.b)) @ self.context)
        return weights @ states


@ab.params
class HAN:
    emb: Float32[Tensor, "50 E"]
    word: Encoder
    sentence: Encoder
    no_title: Float32[Tensor, "D"]
    out: Float32[Tensor, "2D 5"]
    stars: Float32[Tensor, "5"]


@ab.model
def classify(p: HAN, doc: Document) -> Float32[Tensor, "5"]:
    sentences = [p.word.encode([p.emb[w] for w in s]) for s in doc.sentences]
    body = p.sentence.encode(sentences)
    title = p.word.encode([p.emb[w] for w in doc.title]) if doc.title else p.no_title
    logits = ops.concat(body, title) @ p.out
    if doc.stars is not None:
        logits = logits + doc.stars * p.stars
    return ops.log_softmax(logits)
