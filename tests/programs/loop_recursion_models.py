"""Recursive models without a hint for the result, whose recursion ends because a loop has no
iterations."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type"

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


@dataclass
class Node:
    k: int
    kids: list[Node] = field(default_factory=list)


def _tree(xs: list[int]) -> Node:
    if len(xs) < 3:
        return Node(xs[0], [Node(x) for x in xs[1:]])
    n = len(xs) // 2
    return Node(xs[0], [_tree(xs[1 : n + 1]), _tree(xs[n:]), Node(xs[-1])])


TREES = [_tree(xs) for xs in ([1, 2, 3], [5], [4, 5, 6], [1, 1, 0, 7, 2, 0], [0, 1, 3, 1, 8, 0])]


@ab.model
def summed(p: P, node: Node):
    h = p.emb[node.k]
    for kid in node.kids:
        h = h + p.w @ summed(p, kid)
    return np.tanh(h)


@ab.model
def child_sum(p: P, node: Node):
    x = p.emb[node.k]
    states = [child_sum(p, kid) for kid in node.kids]
    h_sum = sum((h for h, _ in states), start=0 * x)
    c = np.tanh(x + p.w @ h_sum)
    for h_kid, c_kid in states:
        c = c + ops.sigmoid(p.w @ h_kid + x) * c_kid
    return np.tanh(c), c


@ab.model
def of_a_helper(p: P, node: Node):
    def encode(n):
        parts = [encode(kid) for kid in n.kids]
        return np.tanh(p.emb[n.k] + sum(parts, np.zeros(4)) @ p.w)

    def size(n):
        total = 1
        for kid in n.kids:
            total += size(kid)
        return total

    def words(n):
        out = [n.k]
        for kid in n.kids:
            out.extend(words(kid))
        return out

    def deepest(n):
        return 1 + max([deepest(kid) for kid in n.kids], default=0)

    return encode(node), size(node), words(node), deepest(node)


@ab.model
def with_a_list(p: P, node: Node):
    def leaves(n):
        found = [leaf for kid in n.kids for leaf in leaves(kid)]
        return found or [p.emb[n.k]]

    def mutual(n):
        return [other(kid) for kid in n.kids]

    def other(n):
        return n.k + sum(mutual(n))

    return leaves(node), mutual(node)


MODELS = [summed, child_sum, of_a_helper, with_a_list]
