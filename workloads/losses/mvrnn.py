"""The class of a tree, one of five, from the vector of its root, as Socher et al. (EMNLP 2012,
section 3.3) classify the relation that a phrase expresses. Classes are random: the cost of a step
does not depend on them."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.source import TreeSource
from ..init import Weights
from ..mvrnn import MVRNN, SIZES, root_vector
from ..mvrnn import make_params as make_inner
from ..treelstm import Tree
from ..treelstm import make_instances as make_trees
from .api import Loss

CLASSES = 5


@ab.data
class Classified:
    tree: Tree
    label: int


@ab.params
class Classifier:
    inner: MVRNN
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def loss(p: Classifier, given: Classified) -> Float32[Tensor, ""]:
    vector = root_vector(p.inner, given.tree)
    return ops.cross_entropy(ops.linear(vector, p.w_out, p.b_out), given.label)


def make_params(size: str, seed: int, source: TreeSource) -> Classifier:
    """The workload's weights, and a seeded output layer."""
    hidden = SIZES[size]["H"]
    draw = Weights(seed, 102)
    return Classifier(
        inner=make_inner(size, seed, source),
        w_out=draw.uniform(hidden, hidden, CLASSES),
        b_out=draw.uniform(hidden, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Classified]:
    """The trees of the workload's mini-batch, with classes."""
    labels = np.random.default_rng([seed, batch, 102]).integers(CLASSES, size=batch).tolist()
    trees = make_trees(size, batch, seed, source)
    return [Classified(t, label) for t, label in zip(trees, labels, strict=True)]


LOSS = Loss(
    about="a class of every tree",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p.inner,
    bare=lambda given: given.tree,
    rows=lambda given: 1,
    output=("w_out", "b_out"),
)
