"""GraphSAGE (Hamilton et al. 2017) over edges: neighbours are collected into adjacency lists first, then two layers of max pooling."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Graph:
    nodes: list[Float32[Tensor, "F"]]
    edges: list[tuple[int, int]]


@ab.params
class Layer:
    pool: Float32[Tensor, "I I"]
    w: Float32[Tensor, "2I O"]


@ab.params
class SAGE:
    layers: list[Layer]
    out: Float32[Tensor, "6 3"]


@ab.model
def layer(one: Layer, hs, adjacency, last):
    new = []
    for i, h in enumerate(hs):
        pooled = [ops.relu(hs[j] @ one.pool) for j in adjacency.get(i, [])]
        n = ops.max(ops.stack(pooled), axis=0) if pooled else ops.zeros_like(h)
        x = ops.concat(h, n) @ one.w
        x = x if last else ops.relu(x)
        new.append(x / ops.maximum(ops.sqrt((x * x).sum()), 1e-6))
    return new


@ab.model
def classify(p: SAGE, g: Graph) -> list[int]:
    adjacency = {i: [] for i in range(len(g.nodes))}
    for a, b in g.edges:
        if a == b:
            continue
        adjacency[a].append(b)
        if a not in adjacency[b]:
            adjacency[b].append(a)
    hs = g.nodes
    for i, one in enumerate(p.layers):
        hs = layer(one, hs, adjacency, last=i == len(p.layers) - 1)
    return [int(ops.argmax(h @ p.out)) for h in hs]
