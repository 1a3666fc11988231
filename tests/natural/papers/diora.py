"""Inside pass of a neural chart parser (DIORA, Drozdov et al. 2019): every span is the softmax-weighted sum of its splits."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Diora:
    emb: Float32[Tensor, "50 H"]
    w1: Float32[Tensor, "2H H"]
    b1: Float32[Tensor, "H"]
    w2: Float32[Tensor, "H H"]
    b2: Float32[Tensor, "H"]
    score: Float32[Tensor, "H H"]


@ab.model
def inside(p: Diora, words: list[int]) -> Float32[Tensor, "H"]:
    n = len(words)
    chart: dict[tuple[int, int], Float32[Tensor, "H"]] = {}
    scores: dict[tuple[int, int], Float32[Tensor, ""]] = {}
    for i, word in enumerate(words):
        chart[i, i + 1] = ops.tanh(p.emb[word])
        scores[i, i + 1] = ops.zeros(1)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            cells, energies = [], []
            for k in range(i + 1, j):
                left, right = chart[i, k], chart[k, j]
                h = ops.relu(ops.linear(ops.concat(left, right), p.w1, p.b1))
                cells.append(ops.tanh(ops.linear(h, p.w2, p.b2)))
                energies.append(ops.dot(left @ p.score, right) + scores[i, k] + scores[k, j])
            weights = ops.softmax(ops.concat(energies))
            chart[i, j] = weights @ ops.stack(cells)
            scores[i, j] = ops.sum(weights * ops.concat(energies))
    return chart[0, n]
