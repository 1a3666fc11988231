"""The joint loss of all exits: after every layer the cross-entropies of the class and of the
decision to exit, as Xin et al. (EACL 2021, sections 3.2 and 3.3) train the classifiers and the
certainty head together.

Our choices: one classifier for all exits, just as there is one certainty head. The instance
specifies at random whether to exit at a layer; in the paper that depends on whether the classifier
is right, which rounding would decide at times. All layers run; no decision depends on tensors.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..berxit import CLASSES, SIZES, BERxiT, Sequence, encoder_layer, make_params
from ..berxit import make_instances as make_sequences
from ..data.source import TreeSource
from .api import Loss


@ab.data
class Labelled:
    tokens: Float32[Tensor, "S 64N"]
    exits: list[int]
    label: int


@ab.model
def loss(p: BERxiT, given: Labelled) -> Float32[Tensor, ""]:
    x = given.tokens + p.layer.positions
    total = ops.sum(ops.zeros(1))
    for exits in given.exits:
        x = encoder_layer(p.layer, x)
        pooled = ops.tanh(ops.linear(x[0], p.w_pool, p.b_pool))
        total = total + ops.cross_entropy(ops.linear(pooled, p.w_class, p.b_class), given.label)
        certain = ops.concat(ops.zeros(1), x[0] @ p.w_certain)
        total = total + ops.cross_entropy(certain, exits)
    return total


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Labelled]:
    """The sequences of the workload's mini-batch, with classes and exits."""
    rng = np.random.default_rng([seed, batch, 106])
    return [
        Labelled(
            sequence.tokens,
            rng.integers(2, size=SIZES[size]["layers"]).tolist(),
            int(rng.integers(CLASSES)),
        )
        for sequence in make_sequences(size, batch, seed, source)
    ]


def _bare(given: Labelled) -> Sequence:
    """The sequence, with thresholds that nothing exceeds."""
    return Sequence(given.tokens, [2.0] * len(given.exits))


LOSS = Loss(
    about="the joint loss of all exits",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p,
    bare=_bare,
    rows=lambda given: len(given.exits),
)
