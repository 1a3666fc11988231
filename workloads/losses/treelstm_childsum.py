"""The class of a dependency tree, one of five, from the state of its root, as Tai, Socher and
Manning (ACL 2015, section 4.1) classify trees with a label only at the root. Classes are random:
the cost of a step does not depend on them."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.source import TreeSource
from ..init import Weights
from ..treelstm_childsum import SIZES, ChildSum, Word, encode
from ..treelstm_childsum import make_instances as make_trees
from ..treelstm_childsum import make_params as make_inner
from .api import Loss

CLASSES = 5


@ab.data
class Classified:
    tree: Word
    label: int


@ab.params
class Classifier:
    inner: ChildSum
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def loss(p: Classifier, given: Classified) -> Float32[Tensor, ""]:
    h, _ = encode(p.inner, given.tree)
    return ops.cross_entropy(ops.linear(h, p.w_out, p.b_out), given.label)


def make_params(size: str, seed: int, source: TreeSource) -> Classifier:
    """The workload's weights, and a seeded output layer."""
    hidden = SIZES[size]["H"]
    draw = Weights(seed, 108)
    return Classifier(
        inner=make_inner(size, seed, source),
        w_out=draw.uniform(hidden, hidden, CLASSES),
        b_out=draw.uniform(hidden, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Classified]:
    """The trees of the workload's mini-batch, with classes."""
    labels = np.random.default_rng([seed, batch, 108]).integers(CLASSES, size=batch).tolist()
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
