"""TreeLSTM over trees that agree or differ in their lengths and in the split of every span.

Leaves and splits are distributed as in the treebank (`workloads.data.generator`); the common choice
of a split depends on the beginning and end of its span. The common number of leaves is the
treebank's mean, 19. Words are always an instance's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import treelstm
from ..api import DIVERGENCE, Workload
from ..data.generator import (
    LEAVES_MAX,
    LEAVES_MIN,
    LEAVES_SCALE,
    LEAVES_SHAPE,
    split_probabilities,
)
from ..data.source import TreeSource
from ..treelstm import Leaf, Node
from .knob import Choices, base, sizes

MEAN_LEAVES = 19

SIZES = sizes({"tiny": {"H": 32}, "small": {"H": 256}})


def make_params(size: str, seed: int, source: TreeSource) -> treelstm.TreeLSTM:
    """TreeLSTM's weights for the size without its knob."""
    return treelstm.make_params(base(size), seed, source)


def draw_tree(choices: Choices, leaves: int, vocabulary: int) -> Any:
    """A tree over `leaves` words with ids below `vocabulary`."""

    def span(begin: int, end: int) -> Any:
        if end - begin == 1:
            return Leaf(int(choices.own.integers(vocabulary)))
        p = split_probabilities(end - begin)
        left = choices.draw(lambda rng: int(rng.choice(len(p), p=p)) + 1, begin, end)
        return Node(span(begin, begin + left), span(begin + left, end))

    return span(0, leaves)


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Any]:
    """`batch` trees."""
    choices = Choices(SIZES[size]["divergence"], seed, batch, 30)
    vocabulary = source.vocabulary(treelstm.GENERATED_VOCABULARY)

    def leaves() -> int:
        if choices.own.random() >= SIZES[size]["divergence"] / 100:
            return MEAN_LEAVES
        drawn = round(choices.own.gamma(LEAVES_SHAPE, LEAVES_SCALE))
        return int(np.clip(drawn, LEAVES_MIN, LEAVES_MAX))

    return [draw_tree(choices, leaves(), vocabulary) for _ in range(batch)]


WORKLOAD = Workload(
    name="divergent_shapes",
    order=30,
    label="TreeLSTM, shapes differ",
    title="TreeLSTM, trees that differ in shape by a knob",
    control_flow="recursion over the input, instance parallelism",
    study=DIVERGENCE,
    shares="treelstm",
    sizes=SIZES,
    model=treelstm.encode,
    make_params=make_params,
    make_instances=make_instances,
)
