"""DRNN: Alvarez-Melis, Jaakkola, "Tree-structured decoding with doubly-recurrent neural networks",
ICLR 2017. Generates a tree from the top; its growth depends on the values computed on the way.

A node's states come from its parent (ancestral cell) and from its left sibling (fraternal cell);
the two give the prediction state h = tanh(h_a U_a + h_f U_f), and h gives the distribution over 16
labels, and the probabilities of having children and of having a right sibling. A node's first child
and its next sibling are generated concurrently.

Our choices: vanilla cells; a node passes on the expected embedding of its label; it has children
(a sibling) if the probability exceeds a threshold that the instance specifies for that position,
so that decisions come from tensor values and are reproducible; at most 4 levels below the root
and 3 siblings. The result is the tree of label distributions, in left-child right-sibling
form.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .init import Weights

VOCABULARY, CLASSES = 1000, 16
LEVELS, SIBLINGS = 4, 3
# Position of a node: the root is 0, the k-th child of the node at n is 3n + 1 + k.
POSITIONS = (SIBLINGS ** (LEVELS + 1) - 1) // (SIBLINGS - 1)


@ab.data
class Seed:
    token: int
    child: list[float]
    sibling: list[float]


@ab.data
class Nothing:
    pass


@ab.data
class Tree:
    label: Float32[Tensor, "C"]
    child: "Forest"
    sibling: "Forest"


Forest = Nothing | Tree


@ab.params
class DRNN:
    emb: Float32[Tensor, "V H"]
    labels: Float32[Tensor, "C H"]
    w_a: Float32[Tensor, "2H H"]
    b_a: Float32[Tensor, "H"]
    w_f: Float32[Tensor, "2H H"]
    b_f: Float32[Tensor, "H"]
    u_a: Float32[Tensor, "H H"]
    u_f: Float32[Tensor, "H H"]
    w_label: Float32[Tensor, "H C"]
    w_child: Float32[Tensor, "H 1"]
    w_sibling: Float32[Tensor, "H 1"]


@ab.model
def generate(
    p: DRNN,
    seed: Seed,
    parent: Float32[Tensor, "H"],
    parent_x: Float32[Tensor, "H"],
    before: Float32[Tensor, "H"],
    before_x: Float32[Tensor, "H"],
    at: int,
    level: int,
    number: int,
) -> Forest:
    h_a = ops.tanh(ops.linear(ops.concat(parent, parent_x), p.w_a, p.b_a))
    h_f = ops.tanh(ops.linear(ops.concat(before, before_x), p.w_f, p.b_f))
    h = ops.tanh(h_a @ p.u_a + h_f @ p.u_f)
    label = ops.softmax(h @ p.w_label)
    x = label @ p.labels
    has_child = False
    if level < 4:
        has_child = ops.item(ops.sigmoid(h @ p.w_child)) > seed.child[at]
    has_sibling = False
    if level > 0 and number < 2:
        has_sibling = ops.item(ops.sigmoid(h @ p.w_sibling)) > seed.sibling[at]
    zero = ops.zeros(p.b_a.shape[0])
    if has_child and has_sibling:
        child, sibling = ab.parallel(
            generate(p, seed, h_a, x, zero, zero, 3 * at + 1, level + 1, 0),
            generate(p, seed, parent, parent_x, h_f, x, at + 1, level, number + 1),
        )
        return Tree(label, child, sibling)
    if has_child:
        child = generate(p, seed, h_a, x, zero, zero, 3 * at + 1, level + 1, 0)
        return Tree(label, child, Nothing())
    if has_sibling:
        sibling = generate(p, seed, parent, parent_x, h_f, x, at + 1, level, number + 1)
        return Tree(label, Nothing(), sibling)
    return Tree(label, Nothing(), Nothing())


@ab.model
def decode(p: DRNN, seed: Seed) -> Forest:
    zero = ops.zeros(p.b_a.shape[0])
    return generate(p, seed, p.emb[seed.token], zero, zero, zero, 0, 0, 0)


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> DRNN:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 5)
    return DRNN(
        emb=draw.normal(0.5, VOCABULARY, h),
        labels=draw.normal(0.5, CLASSES, h),
        w_a=draw.uniform(2 * h, 2 * h, h),
        b_a=draw.uniform(2 * h, h),
        w_f=draw.uniform(2 * h, 2 * h, h),
        b_f=draw.uniform(2 * h, h),
        u_a=draw.uniform(h, h, h),
        u_f=draw.uniform(h, h, h),
        w_label=draw.normal(2 / h**0.5, h, CLASSES),
        w_child=draw.normal(2 / h**0.5, h, 1),
        w_sibling=draw.normal(2 / h**0.5, h, 1),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Seed]:
    """`batch` seeds: a token, and thresholds with which about six in ten nodes have children and
    five in ten a sibling."""
    rng = np.random.default_rng([seed, batch, 5])

    def thresholds(probability: float) -> list[float]:
        # The model's probabilities lie around 1/2, so uniform thresholds are shifted.
        drawn: list[float] = (rng.uniform(0, 1, POSITIONS) + 0.5 - probability).tolist()
        return drawn

    return [
        Seed(int(rng.integers(VOCABULARY)), thresholds(0.6), thresholds(0.5)) for _ in range(batch)
    ]


WORKLOAD = Workload(
    name="drnn",
    order=5,
    label="DRNN",
    title="DRNN, top-down tree generation",
    control_flow="tensor-dependent recursion, instance parallelism",
    decides=True,
    sizes=SIZES,
    model=decode,
    make_params=make_params,
    make_instances=make_instances,
)
