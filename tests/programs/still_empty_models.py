"""Models with loops over the indices of lists that are still empty, and numbers that become tensors
of rank 0 in place, as numpy's scalars do."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, assignment"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


class NeuralStack:
    def __init__(self, dim):
        self.dim = dim
        self.values = []
        self.strengths = []

    def step(self, value, push, pop):
        remaining = pop
        for i in reversed(range(len(self.strengths))):
            s = self.strengths[i]
            self.strengths[i] = max(0.0, s - remaining)
            remaining = max(0.0, remaining - s)
        self.values.append(value)
        self.strengths.append(push)
        return self.read()

    def read(self):
        out = np.zeros(self.dim)
        left = 1.0
        for v, s in zip(reversed(self.values), reversed(self.strengths), strict=True):
            out += min(s, max(0.0, left)) * v
            left -= s
            if left <= 0:
                break
        return out

    def __len__(self):
        return len(self.values)


class Node:
    def __init__(self, k):
        self.k = k
        self.visits = 0
        self.total = 0.0
        self.children = {}


@ab.model
def neural_stack(p: P, xs: list[int]) -> Any:
    stack = NeuralStack(4)
    h = p.b
    for x in xs:
        gate = ops.sigmoid(h @ p.b)
        h = np.tanh(p.emb[x] + stack.step(h @ p.w, gate, 1 - gate))
    return h, sum(stack.strengths), len(stack)


@ab.model
def indices(p: P, xs: list[int]) -> Any:
    st = []
    for x in xs:
        for i in range(1, len(st) - 1):
            st[i] = st[i] * 0.5 + st[i - 1]
        st.append(p.emb[x] @ p.b)
    return st, [st[i] * i for i in range(len(st))]


@ab.model
def search(p: P, xs: list[int]) -> Any:
    """A tree that grows, whose nodes are counted along a path."""
    root = Node(0)
    for x in xs:
        node, path = root, [root]
        while node.children and len(path) < 4:
            k = min(node.children, key=lambda j: node.children[j].visits)
            node = node.children[k]
            path.append(node)
        for j in range(x % 3 + 1):
            node.children[j] = Node(x)
        value = np.tanh(p.emb[node.k] @ p.b) if x > 1 else 0.5
        for n in reversed(path):
            n.visits += 1
            n.total += value
            value = -value
    return root.visits, root.total, {k: c.total for k, c in root.children.items()}


@ab.model
def in_place(p: P, xs: list[int]) -> Any:
    total = ops.sum(p.b)
    first = total
    kept = [total, first]
    for x in xs:
        total += p.emb[x].max()
        kept[x % 2] -= ops.dot(p.emb[x], p.b)
    return total, first, kept


MODELS = [neural_stack, indices, search, in_place]
