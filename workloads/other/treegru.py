"""Binary TreeGRU: the tree-structured GRU of Zhou, Liu, Pan, "Modelling Sentence Pairs with
Tree-structured Attentive Encoder", COLING 2016, with weights per child as in the N-ary TreeLSTM.

A leaf computes the gate z and the candidate u from its word's embedding, h = z * u. An inner node
computes the gates z, r_l, r_r from both children's states, and its candidate from the reset states:

    u = tanh([r_l * h_l, r_r * h_r] U + d)        h = z * u + (1 - z) * (h_l + h_r) / 2

Every node has two consecutive products, where a TreeLSTM has one. Our choices: the mean of the
children instead of their sum, which grows with the height; the embedding is as wide as the hidden
state. The result of an instance is the root's h.
"""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.source import TreeSource
from ..init import Weights
from ..treelstm import GENERATED_VOCABULARY, Leaf, Node, Tree, make_instances


@ab.params
class TreeGRU:
    emb: Float32[Tensor, "V H"]
    w_leaf: Float32[Tensor, "H 2H"]
    b_leaf: Float32[Tensor, "2H"]
    w: Float32[Tensor, "2H 3H"]
    b: Float32[Tensor, "3H"]
    u: Float32[Tensor, "2H H"]
    d: Float32[Tensor, "H"]


@ab.model
def encode(p: TreeGRU, tree: Tree) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            z, u = ops.split(ops.linear(p.emb[word], p.w_leaf, p.b_leaf), 2)
            return ops.sigmoid(z) * ops.tanh(u)
        case Node(left, right):
            h_l, h_r = ab.parallel(encode(p, left), encode(p, right))
            gates = ops.sigmoid(ops.linear(ops.concat(h_l, h_r), p.w, p.b))
            z, r_l, r_r = ops.split(gates, 3)
            u = ops.tanh(ops.linear(ops.concat(r_l * h_l, r_r * h_r), p.u, p.d))
            return z * u + (1.0 - z) * (0.5 * (h_l + h_r))


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> TreeGRU:
    """Seeded weights of `size`; the embedding has a row per word id of `source`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 20)
    return TreeGRU(
        emb=draw.normal(0.5, source.vocabulary(GENERATED_VOCABULARY), h),
        w_leaf=draw.uniform(h, h, 2 * h),
        b_leaf=draw.uniform(h, 2 * h),
        w=draw.uniform(2 * h, 2 * h, 3 * h),
        b=draw.uniform(2 * h, 3 * h),
        u=2 * draw.uniform(2 * h, 2 * h, h),
        d=draw.uniform(2 * h, h),
    )


WORKLOAD = Workload(
    name="treegru",
    order=20,
    label="TreeGRU",
    narrow_label="Tree\nGRU",
    title="TreeGRU (binary), Stanford Sentiment Treebank",
    control_flow="recursion over the input, instance parallelism",
    study=OTHER,
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
