"""Graph attention network (Velickovic et al. 2018) over typed neighbours, several heads."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Graph:
    features: list[Float32[Tensor, "F"]]
    neighbours: dict[int, list[int]]
    target: int


@ab.params
class Head:
    w: Float32[Tensor, "F H"]
    a_from: Float32[Tensor, "H"]
    a_to: Float32[Tensor, "H"]

    def __call__(self, xs, neighbours):
        zs = [x @ self.w for x in xs]
        out = []
        for i, z in enumerate(zs):
            around = [zs[j] for j in neighbours.get(i, [])] + [z]
            scores = [leaky(ops.dot(z, self.a_from) + ops.dot(o, self.a_to)) for o in around]
            alpha = ops.softmax(ops.stack(scores))
            out.append(sum(alpha[k] * o for k, o in enumerate(around)))
        return out


@ab.params
class GAT:
    heads: list[Head]
    out: Float32[Tensor, "2H 4"]


def leaky(x, slope=0.2):
    return ops.maximum(x, slope * x)


@ab.model
def predict(p: GAT, g: Graph) -> Float32[Tensor, "4"]:
    hidden = [head(g.features, g.neighbours) for head in p.heads]
    per_node = [ops.relu(ops.concat(*hs)) for hs in zip(*hidden)]
    return ops.softmax(per_node[g.target] @ p.out)
