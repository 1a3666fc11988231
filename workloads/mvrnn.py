"""MV-RNN: Socher, Huval, Manning, Ng, "Semantic Compositionality through Recursive Matrix-Vector
Spaces", EMNLP 2012, section 2.

Every word and phrase is a vector and a matrix. A phrase with children (a, A) and (b, B) has

    p = tanh(W [Ba; Ab] + bias)        P = W_M [A; B]

Here vectors are rows, so Ba becomes `a @ B` with transposed matrices, and P is `[A B] @ W_M`.

Our choices: word matrices are the identity plus noise, as in the paper; the table of matrices has
one for each of 256 word classes (word % 256), because one per word would take gigabytes; W_M
averages the two children, plus noise, which keeps matrices bounded at any depth. The result of an
instance is the root's vector. Trees are those of `treelstm`.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .init import Weights
from .treelstm import GENERATED_VOCABULARY, Leaf, Node, Tree, make_instances

CLASSES = 256


@ab.params
class MVRNN:
    vectors: Float32[Tensor, "V H"]
    matrices: Float32[Tensor, "M H H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    w_m: Float32[Tensor, "2H H"]


@ab.model
def compose(
    p: MVRNN,
    left: tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]],
    right: tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]]:
    a, a_matrix = left
    b, b_matrix = right
    crossed = ops.concat(a @ b_matrix, b @ a_matrix)
    return ops.tanh(ops.linear(crossed, p.w, p.b)), ops.concat(a_matrix, b_matrix) @ p.w_m


@ab.model
def encode(p: MVRNN, tree: Tree) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]]:
    match tree:
        case Leaf(word):
            return p.vectors[word], p.matrices[word % 256]
        case Node(left, right):
            l, r = ab.parallel(encode(p, left), encode(p, right))  # noqa: E741
            return compose(p, l, r)


@ab.model
def root_vector(p: MVRNN, tree: Tree) -> Float32[Tensor, "H"]:
    vector, _ = encode(p, tree)
    return vector


SIZES = {"tiny": {"H": 16}, "small": {"H": 64}, "large": {"H": 128}}


def make_params(size: str, seed: int, source: TreeSource) -> MVRNN:
    """Seeded weights of `size`."""
    h, vocabulary = SIZES[size]["H"], source.vocabulary(GENERATED_VOCABULARY)
    draw = Weights(seed, 2)
    eye = np.eye(h, dtype=np.float32)
    return MVRNN(
        vectors=draw.normal(0.5, vocabulary, h),
        matrices=eye + draw.normal(0.1 / h**0.5, CLASSES, h, h),
        w=draw.uniform(2 * h, 2 * h, h),
        b=draw.uniform(2 * h, h),
        w_m=np.concatenate([eye, eye]) / 2 + draw.normal(0.1 / (2 * h) ** 0.5, 2 * h, h),
    )


WORKLOAD = Workload(
    name="mvrnn",
    order=2,
    label="MV-RNN",
    narrow_label="MV-\nRNN",
    title="MV-RNN, Stanford Sentiment Treebank",
    control_flow="recursion over the input, instance parallelism",
    sizes=SIZES,
    model=root_vector,
    make_params=make_params,
    make_instances=make_instances,
)
