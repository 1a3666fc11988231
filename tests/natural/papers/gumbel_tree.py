"""Gumbel Tree-LSTM (Choi, Yoo, Lee 2018), greedy: neighbours are composed until one is left."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class GT:
    emb: Float32[Tensor, "V D"]
    leaf: Float32[Tensor, "D 2H"]
    comp: Float32[Tensor, "2H 5H"]
    bias: Float32[Tensor, "5H"]
    q: Float32[Tensor, "H"]


def compose(p, left, right):
    (hl, cl), (hr, cr) = left, right
    i, fl, fr, o, u = ops.split(ops.concat(hl, hr) @ p.comp + p.bias, 5)
    c = ops.sigmoid(fl + 1) * cl + ops.sigmoid(fr + 1) * cr + ops.sigmoid(i) * ops.tanh(u)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def gumbel(p: GT, words: list[int]):
    nodes = []
    for w in words:
        h, c = ops.split(p.emb[w] @ p.leaf, 2)
        nodes.append((ops.tanh(h), c))
    while len(nodes) > 1:
        cands = [compose(p, a, b) for a, b in zip(nodes, nodes[1:])]
        scores = ops.softmax(ops.stack([h @ p.q for h, _ in cands]))
        k = int(scores.argmax())
        nodes[k : k + 2] = [cands[k]]
    return nodes[0][0]
