"""Tree-GRU over dependency trees (Kokkinos & Potamianos 2017): words with left and right dependents, optional relation."""

from __future__ import annotations

from typing import Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Token:
    word: int
    pos: int


@ab.data
class Node(Token):
    left: list[Node]
    right: list[Node]
    relation: Optional[int] = None


@ab.params
class GRUCell:
    w_z: Float32[Tensor, "I H"]
    u_z: Float32[Tensor, "H H"]
    w_r: Float32[Tensor, "I H"]
    u_r: Float32[Tensor, "H H"]
    w_h: Float32[Tensor, "I H"]
    u_h: Float32[Tensor, "H H"]

    def __call__(self, x, h):
        z = ops.sigmoid(x @ self.w_z + h @ self.u_z)
        r = ops.sigmoid(x @ self.w_r + h @ self.u_r)
        n = ops.tanh(x @ self.w_h + (r * h) @ self.u_h)
        return (1 - z) * h + z * n


@ab.params
class TreeGRU:
    words: Float32[Tensor, "50 E"]
    tags: Float32[Tensor, "8 E"]
    relations: Float32[Tensor, "6 E"]
    cell: GRUCell
    hidden: int
    out: Float32[Tensor, "H 3"]


@ab.model
def encode(p: TreeGRU, node: Node) -> Float32[Tensor, "H"]:
    x = p.words[node.word] + p.tags[node.pos]
    if node.relation is not None:
        x = x + p.relations[node.relation]
    states = [encode(p, c) for c in node.left + node.right]
    h = sum(states) / max(len(states), 1) if states else ops.zeros(p.hidden)
    return p.cell(x, h)


@ab.model
def classify(p: TreeGRU, root: Node) -> Float32[Tensor, "3"]:
    return ops.softmax(encode(p, root) @ p.out)
