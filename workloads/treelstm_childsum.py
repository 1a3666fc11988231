"""Child-sum TreeLSTM over dependency trees: Tai, Socher, Manning, "Improved Semantic
Representations From Tree-Structured Long Short-Term Memory Networks", ACL 2015, section 3.1.

Every node has a word x and any number of children (h_k, c_k):

    h' = sum of h_k        i, o, u from x and h'        f_k = sigmoid(x W_f + h_k U_f + b_f)
    c  = sigmoid(i) * tanh(u) + sum of f_k * c_k        h = sigmoid(o) * tanh(c)

Our choices: the treebank has no dependencies, so heads are drawn at random: the head of a phrase is
that of its left or right part with equal probability, and the other part's head becomes its child.
The embedding is as wide as the hidden state; the gates of x are in the order i, o, u, f. The result
of an instance is the root's (h, c).
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .data.tree import FlatTree
from .init import Weights
from .treelstm import GENERATED_VOCABULARY


@ab.data
class Word:
    word: int
    children: list["Word"]


@ab.params
class ChildSum:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]
    u: Float32[Tensor, "H 3H"]
    u_f: Float32[Tensor, "H H"]


@ab.model
def cell(
    p: ChildSum,
    x: Float32[Tensor, "H"],
    children: list[tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    i_x, o_x, u_x, f_x = ops.split(ops.linear(x, p.w, p.b), 4)
    total = ops.zeros(x.shape[0])
    kept = ops.zeros(x.shape[0])
    for h, c in children:
        total = total + h
        kept = kept + ops.sigmoid(f_x + h @ p.u_f) * c
    i_h, o_h, u_h = ops.split(total @ p.u, 3)
    c = ops.sigmoid(i_x + i_h) * ops.tanh(u_x + u_h) + kept
    return ops.sigmoid(o_x + o_h) * ops.tanh(c), c


@ab.model
def encode(p: ChildSum, tree: Word) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    return cell(p, p.emb[tree.word], [encode(p, child) for child in tree.children])


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> ChildSum:
    """Seeded weights of `size`; the embedding has a row per word id of `source`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 8)
    return ChildSum(
        emb=draw.normal(0.5, source.vocabulary(GENERATED_VOCABULARY), h),
        w=draw.uniform(h, h, 4 * h),
        b=draw.uniform(h, 4 * h),
        u=draw.uniform(h, h, 3 * h),
        u_f=draw.uniform(h, h, h),
    )


def dependencies(flat: FlatTree, rng: np.random.Generator) -> Word:
    """A dependency tree over the words of `flat`, with random heads."""
    heads: list[Word] = []
    left_wins = rng.random(len(flat.left)) < 0.5
    for left, right, word, wins in zip(
        flat.left.tolist(), flat.right.tolist(), flat.word.tolist(), left_wins, strict=True
    ):
        if left < 0:
            heads.append(Word(word, []))
        else:
            head, other = (left, right) if wins else (right, left)
            heads[head].children.append(heads[other])
            heads.append(heads[head])
    return heads[-1]


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Word]:
    """`batch` dependency trees of sentences sampled from `source`."""
    rng = np.random.default_rng([seed, batch, 8])
    return [dependencies(t, rng) for t in source.sample(batch, seed, GENERATED_VOCABULARY)]


WORKLOAD = Workload(
    name="treelstm_childsum",
    order=8,
    label="TreeLSTM, child-sum",
    narrow_label="Child-\nsum",
    title="TreeLSTM (child-sum), dependency trees of the Stanford Sentiment Treebank",
    control_flow="recursion over the input, instance parallelism",
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
