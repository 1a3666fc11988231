"""A decoder that writes trees: children until one says stop, within a budget of nodes."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Out:
    label: int
    score: float
    children: list[Out]


@ab.params
class TD:
    emb: Float32[Tensor, "L H"]
    w: Float32[Tensor, "2H H"]
    u: Float32[Tensor, "2H H"]
    cls: Float32[Tensor, "H L"]
    stop: Float32[Tensor, "H 1"]
    max_depth: int = 3
    max_width: int = 3


@ab.model
def expand(p, h, depth, budget):
    logits = h @ p.cls
    label = ops.argmax(logits)
    score = ops.log_softmax(logits)[label].item()
    kids = []
    state = ops.tanh(ops.concat([h, p.emb[label]]) @ p.w)
    while (
        depth < p.max_depth
        and len(kids) < p.max_width
        and ops.sigmoid(state @ p.stop) > 0.4
        and budget > 0
    ):
        kid, budget = expand(p, state, depth + 1, budget - 1)
        kids.append(kid)
        state = ops.tanh(ops.concat([state, p.emb[kid.label]]) @ p.u)
    return Out(label, score, kids), budget


@ab.model
def decode(p: TD, word: int):
    tree, left = expand(p, p.emb[word], 0, 8)
    return tree, left
