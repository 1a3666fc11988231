"""Tree transformer (after Ahmed et al. 2019): every node attends over its children, whatever their number."""

from __future__ import annotations

import math
from typing import Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Tree:
    children: list["Tree"]
    word: Optional[int] = None

    @property
    def is_leaf(self):
        return len(self.children) == 0


@ab.params
class Attention:
    q: Float32[Tensor, "H H"]
    k: Float32[Tensor, "H H"]
    v: Float32[Tensor, "H H"]


@ab.params
class TreeTransformer:
    emb: Float32[Tensor, "V H"]
    unknown: Float32[Tensor, "H"]
    heads: list[Attention]
    w_o: Float32[Tensor, "2H H"]
    norm: tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]
    up: Float32[Tensor, "H 2H"]
    down: Float32[Tensor, "2H H"]


@ab.model
def attend(head: Attention, query, children):
    d = query.shape[0]
    q = query @ head.q
    scores = ops.stack([(q @ (c @ head.k)) / math.sqrt(d) for c in children])
    alpha = ops.softmax(scores)
    return sum(a * (c @ head.v) for a, c in zip(alpha, children))


@ab.model
def encode(p: TreeTransformer, tree: Tree) -> Float32[Tensor, "H"]:
    x = p.emb[tree.word] if tree.word is not None else p.unknown
    match tree.children:
        case []:
            return x
        case [only]:
            return encode(p, only) + x
        case [*children]:
            hs = [encode(p, c) for c in children]
    mixed = ops.concat([attend(head, x, hs) for head in p.heads]) @ p.w_o
    g, b = p.norm
    h = ops.layer_norm(x + mixed, g, b)
    return h + ops.gelu(h @ p.up) @ p.down


@ab.model
def depths(p: TreeTransformer, tree: Tree) -> tuple[Float32[Tensor, "H"], dict[int, list[int]]]:
    levels = {}
    todo = [(tree, 0)]
    while todo:
        t, depth = todo.pop()
        if t.word is not None:
            levels.setdefault(depth, []).append(t.word)
        for c in reversed(t.children):
            todo.append((c, depth + 1))
    return encode(p, tree), levels
