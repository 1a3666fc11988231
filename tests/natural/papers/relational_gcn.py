"""Relational graph convolution (Schlichtkrull et al. 2018) over edges with names."""

from __future__ import annotations

from collections import defaultdict

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class G:
    feats: list[Float32[Tensor, "D"]]
    edges: list[tuple[int, str, int]]
    target: int


@ab.params
class RG:
    w_in: Float32[Tensor, "D H"]
    rel: dict[str, Float32[Tensor, "H H"]]
    self_loop: list[Float32[Tensor, "H H"]]
    out: Float32[Tensor, "H C"]


@ab.model
def rgcn(p: RG, g: G):
    hs = [ops.relu(x @ p.w_in) for x in g.feats]
    neighbours = defaultdict(list)
    for s, r, t in g.edges:
        neighbours[t].append((s, r))
    for w in p.self_loop:
        new = []
        for i, h in enumerate(hs):
            total = h @ w
            for s, r in neighbours[i]:
                total = total + hs[s] @ p.rel[r] / len(neighbours[i])
            new.append(ops.relu(total))
        hs = new
    return ops.log_softmax(hs[g.target] @ p.out)
