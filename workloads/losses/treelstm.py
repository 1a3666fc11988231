"""Sentiment with TreeLSTM: five classes at every node of a tree, as Tai, Socher and Manning (ACL
2015, section 5.1) train it on the Stanford Sentiment Treebank.

The loss of a tree is the sum of its nodes' cross-entropies. The treebank has a label at every node.
Generated trees get labels that can be learned: a word's sentiment follows from its number, that of
a node is the mean of its children's, or the opposite of the right child's if the left one is a
negation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.generator import generate_tree
from ..data.source import TreeSource
from ..data.sst import read_sst
from ..data.tree import FlatTree
from ..init import Weights
from ..treelstm import (
    GENERATED_VOCABULARY,
    SIZES,
    TreeLSTM,
    build_tree,
    leaf_cell,
    node_cell,
)
from ..treelstm import make_params as make_inner
from .api import Loss

CLASSES = 5
# For generated trees: the limits between classes, and the divisor of the numbers of negations.
_LIMITS = (-0.5, -0.15, 0.15, 0.5)
_NEGATION = 8


@ab.data
class Leaf:
    word: int
    label: int


@ab.data
class Node:
    left: "Labelled"
    right: "Labelled"
    label: int


Labelled = Leaf | Node


@ab.params
class Sentiment:
    inner: TreeLSTM
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def judge(
    p: Sentiment, tree: Labelled
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"], Float32[Tensor, ""]]:
    """The state of a node, and the loss of the node and of all nodes below it."""
    match tree:
        case Leaf(word, label):
            h, c = leaf_cell(p.inner, p.inner.emb[word])
            return h, c, ops.cross_entropy(ops.linear(h, p.w_out, p.b_out), label)
        case Node(left, right, label):
            l, r = ab.parallel(judge(p, left), judge(p, right))  # noqa: E741
            h, c = node_cell(p.inner, (l[0], l[1]), (r[0], r[1]))
            own = ops.cross_entropy(ops.linear(h, p.w_out, p.b_out), label)
            return h, c, own + l[2] + r[2]


@ab.model
def loss(p: Sentiment, tree: Labelled) -> Float32[Tensor, ""]:
    """The loss of all nodes of a tree."""
    _, _, total = judge(p, tree)
    return total


def make_params(size: str, seed: int, source: TreeSource) -> Sentiment:
    """The workload's weights, and a seeded output layer."""
    hidden = SIZES[size]["H"]
    draw = Weights(seed, 101)
    return Sentiment(
        inner=make_inner(size, seed, source),
        w_out=draw.uniform(hidden, hidden, CLASSES),
        b_out=draw.uniform(hidden, CLASSES),
    )


def labels_of(tree: FlatTree, vocabulary: int) -> np.ndarray:
    """The class of every node, int32: the tree's own labels, or those of a generated tree.
    ValueError if the tree's own labels are not classes."""
    if tree.label is not None:
        wrong = tree.label[(tree.label < 0) | (tree.label >= CLASSES)]
        if wrong.size:
            raise ValueError(
                f"a node of the treebank has the label {wrong[0]}; sentiment has 0 to {CLASSES - 1}"
            )
        return tree.label
    values = np.zeros(len(tree.word))
    for n, (left, right, word) in enumerate(zip(tree.left, tree.right, tree.word, strict=True)):
        if left < 0:
            # Frequent words have small numbers, so adjacent numbers must differ in sentiment.
            values[n] = 2.0 * (word * 7919 % vocabulary) / max(vocabulary - 1, 1) - 1.0
        elif tree.left[left] < 0 and tree.word[left] % _NEGATION == 0:
            values[n] = -values[right]
        else:
            values[n] = (values[left] + values[right]) / 2
    return np.searchsorted(_LIMITS, values).astype(np.int32)


def build_labelled(flat: FlatTree, vocabulary: int) -> Labelled:
    """`flat` as nested Leaf and Node objects."""
    nodes: list[Any] = []
    columns = (flat.left, flat.right, flat.word, labels_of(flat, vocabulary))
    for left, right, word, label in zip(*(c.tolist() for c in columns), strict=True):
        node = Leaf(word, label) if left < 0 else Node(nodes[left], nodes[right], label)
        nodes.append(node)
    root: Labelled = nodes[-1]
    return root


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Labelled]:
    """The trees of the workload's mini-batch, with labels."""
    vocabulary = source.vocabulary(GENERATED_VOCABULARY)
    found = source.sample(batch, seed, GENERATED_VOCABULARY)
    return [build_labelled(tree, vocabulary) for tree in found]


def labelled_trees(source: TreeSource, split: str, most: int, seed: int) -> list[Labelled]:
    """At most `most` trees of the treebank's "train" or "dev", in its order; without a treebank,
    `most` generated ones, different for each split."""
    vocabulary = source.vocabulary(GENERATED_VOCABULARY)
    if source.folder is None:
        rng = np.random.default_rng([seed, most, ("train", "dev").index(split), 107])
        found = [generate_tree(rng, vocabulary) for _ in range(most)]
    else:
        found = list(read_sst(source.folder, split).trees[:most])
    return [build_labelled(tree, vocabulary) for tree in found]


def post_order(tree: Labelled) -> list[Labelled]:
    """The nodes of a tree in post-order: children before parents, the root last. Iterative."""
    found: list[Labelled] = []
    stack = [tree]
    # Collect parents first, right before left, then reverse.
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, Node):
            stack += [node.left, node.right]
    return found[::-1]


def flat_labels(tree: Labelled) -> np.ndarray:
    """The labels of the nodes in post-order, int32."""
    return np.array([node.label for node in post_order(tree)], np.int32)


def _bare(tree: Labelled) -> Any:
    rows: list[tuple[int, int, int]] = []
    done: list[int] = []
    for node in post_order(tree):
        if isinstance(node, Leaf):
            rows.append((-1, -1, node.word))
        else:
            right, left = done.pop(), done.pop()
            rows.append((left, right, -1))
        done.append(len(rows) - 1)
    return build_tree(FlatTree(*np.array(rows, np.int32).T.copy()))


LOSS = Loss(
    about="5 classes at every node of a tree",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p.inner,
    bare=_bare,
    rows=lambda tree: len(post_order(tree)),
    output=("w_out", "b_out"),
)
