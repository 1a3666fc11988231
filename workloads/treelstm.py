"""TreeLSTM over binary constituency trees: Tai, Socher, Manning, "Improved Semantic
Representations From Tree-Structured Long Short-Term Memory Networks", ACL 2015, section 3.2.

The binary N-ary cell. A leaf has gates i, o, u from its word's embedding; an inner node has gates
i, o, u and one forget gate per child, all from both children's hidden states:

    c = sigmoid(i) * tanh(u) + sigmoid(f_l) * c_l + sigmoid(f_r) * c_r
    h = sigmoid(o) * tanh(c)

Our choices: the embedding is as wide as the hidden state; biases are random like the other weights;
the gates are in one matrix in the order i, o, u, f_l, f_r. The result of an instance is the root's
(h, c). Weights are uniform in +-1/sqrt(fan-in), embeddings standard normal divided by two, which
keeps activations away from zero and from saturation at any depth.
"""
# A shape is a string inside a hint, which ruff mistakes for a forward reference.

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .data.tree import FlatTree

# The number of word ids in generated trees, close to the treebank's training vocabulary.
GENERATED_VOCABULARY = 18_000


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@ab.params
class TreeLSTM:
    emb: Float32[Tensor, "V H"]
    w_leaf: Float32[Tensor, "H 3H"]
    b_leaf: Float32[Tensor, "3H"]
    w: Float32[Tensor, "2H 5H"]
    b: Float32[Tensor, "5H"]


@ab.model
def leaf_cell(
    p: TreeLSTM, x: Float32[Tensor, "H"]
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    i, o, u = ops.split(ops.linear(x, p.w_leaf, p.b_leaf), 3)
    c = ops.sigmoid(i) * ops.tanh(u)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def node_cell(
    p: TreeLSTM,
    left: tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]],
    right: tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    h_l, c_l = left
    h_r, c_r = right
    z = ops.linear(ops.concat(h_l, h_r), p.w, p.b)
    i, o, u, f_l, f_r = ops.split(z, 5)
    c = ops.sigmoid(i) * ops.tanh(u) + ops.sigmoid(f_l) * c_l + ops.sigmoid(f_r) * c_r
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def encode(p: TreeLSTM, tree: Tree) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    match tree:
        case Leaf(word):
            return leaf_cell(p, p.emb[word])
        case Node(left, right):
            l, r = ab.parallel(encode(p, left), encode(p, right))  # noqa: E741
            return node_cell(p, l, r)


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> TreeLSTM:
    """Seeded weights of `size`; the embedding has a row per word id of `source`."""
    rng = np.random.default_rng([seed, 1])
    hidden, vocabulary = SIZES[size]["H"], source.vocabulary(GENERATED_VOCABULARY)

    def uniform(fan_in: int, *shape: int) -> np.ndarray:
        bound = fan_in**-0.5
        return rng.uniform(-bound, bound, shape).astype(np.float32)

    return TreeLSTM(
        emb=(rng.standard_normal((vocabulary, hidden)) / 2).astype(np.float32),
        w_leaf=uniform(hidden, hidden, 3 * hidden),
        b_leaf=uniform(hidden, 3 * hidden),
        w=uniform(2 * hidden, 2 * hidden, 5 * hidden),
        b=uniform(2 * hidden, 5 * hidden),
    )


def build_tree(flat: FlatTree) -> Any:
    """`flat` as nested Leaf and Node objects."""
    nodes: list[Any] = []
    for left, right, word in zip(
        flat.left.tolist(), flat.right.tolist(), flat.word.tolist(), strict=True
    ):
        nodes.append(Leaf(word) if left < 0 else Node(nodes[left], nodes[right]))
    return nodes[-1]


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Any]:
    """`batch` trees sampled from `source`."""
    return [build_tree(t) for t in source.sample(batch, seed, GENERATED_VOCABULARY)]


WORKLOAD = Workload(
    name="treelstm",
    order=1,
    label="TreeLSTM",
    narrow_label="Tree\nLSTM",
    title="TreeLSTM (binary), Stanford Sentiment Treebank",
    control_flow="recursion over the input, instance parallelism",
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
