"""Mixture of experts with the two best of each token (Shazeer et al. 2017)."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class MoE:
    emb: Float32[Tensor, "V H"]
    gate: Float32[Tensor, "H E"]
    up: Float32[Tensor, "E H F"]
    down: Float32[Tensor, "E F H"]
    k: int = 2


@ab.model
def moe(p: MoE, words: list[int]):
    out = []
    for w in words:
        x = p.emb[w]
        probs = ops.softmax(x @ p.gate)
        order = sorted(range(len(probs)), key=lambda i: float(probs[i]), reverse=True)
        chosen = order[: p.k]
        total = sum(float(probs[i]) for i in chosen)
        y = x
        for i in chosen:
            y = y + probs[i] / total * (ops.gelu(x @ p.up[i]) @ p.down[i])
        out.append(y)
    return ops.mean(ops.stack(out), axis=0), len(set(words))
