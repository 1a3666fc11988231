"""The class of a document, one of five, from the last state of the outer loop. Classes are random:
the cost of a step does not depend on them."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.source import TreeSource
from ..init import Weights
from ..nestedrnn import SIZES, Document, NestedRNN, encode
from ..nestedrnn import make_instances as make_documents
from ..nestedrnn import make_params as make_inner
from .api import Loss

CLASSES = 5


@ab.data
class Classified:
    document: Document
    label: int


@ab.params
class Classifier:
    inner: NestedRNN
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def loss(p: Classifier, given: Classified) -> Float32[Tensor, ""]:
    h = encode(p.inner, given.document)
    return ops.cross_entropy(ops.linear(h, p.w_out, p.b_out), given.label)


def make_params(size: str, seed: int, source: TreeSource) -> Classifier:
    """The workload's weights, and a seeded output layer."""
    hidden = SIZES[size]["H"]
    draw = Weights(seed, 104)
    return Classifier(
        inner=make_inner(size, seed, source),
        w_out=draw.uniform(hidden, hidden, CLASSES),
        b_out=draw.uniform(hidden, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Classified]:
    """The documents of the workload's mini-batch, with classes."""
    labels = np.random.default_rng([seed, batch, 104]).integers(CLASSES, size=batch).tolist()
    documents = make_documents(size, batch, seed, source)
    return [Classified(d, label) for d, label in zip(documents, labels, strict=True)]


LOSS = Loss(
    about="a class of every document",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p.inner,
    bare=lambda given: given.document,
    rows=lambda given: 1,
    output=("w_out", "b_out"),
)
