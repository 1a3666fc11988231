"""Recurrent entity network (Henaff et al. 2017): memory slots with keys, each gated by what a sentence says."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class EntNet:
    emb: Float32[Tensor, "V H"]
    mask: Float32[Tensor, "10 H"]
    keys: Float32[Tensor, "K H"]
    u: Float32[Tensor, "H H"]
    v: Float32[Tensor, "H H"]
    w: Float32[Tensor, "H H"]
    h: Float32[Tensor, "H H"]
    r: Float32[Tensor, "H V"]


def encode(p, words):
    return sum(p.emb[w] * p.mask[i] for i, w in enumerate(words[:10]))


def prelu(x, a=0.25):
    return ops.where(x > 0, x, a * x)


@ab.model
def run(
    p: EntNet, story: tuple[list[list[int]], list[int]]
) -> tuple[Float32[Tensor, "V"], list[int]]:
    sentences, question = story
    slots = [k for k in p.keys]
    opened = []
    for sentence in sentences:
        s = encode(p, sentence)
        for j, (key, h) in enumerate(zip(p.keys, slots)):
            g = ops.sigmoid(s @ h + s @ key)
            candidate = prelu(h @ p.u + key @ p.v + s @ p.w)
            h = h + g * candidate
            slots[j] = h / ops.sqrt(ops.sum(h**2))
            if g > 0.5 and j not in opened:
                opened.append(j)
    q = encode(p, question)
    attention = ops.softmax(ops.stack([q @ h for h in slots]))
    u = sum(a * h for a, h in zip(attention, slots))
    return prelu(q + u @ p.h) @ p.r, opened
