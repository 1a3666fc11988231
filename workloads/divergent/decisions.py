"""DRNN with decisions that agree or differ: whether a node has children, and whether a sibling.

A decision is drawn in advance, and the threshold at its position is one that the model's computed
probability always or never exceeds. To find out, a system must compute the probability as before.
Three in four nodes have children and three in five a sibling, with 14 nodes on average; the common
choices of all instances form a tree whose number of nodes is about the mean of independently drawn
trees.
"""

from __future__ import annotations

import numpy as np

from .. import drnn
from ..api import DIVERGENCE, Workload
from ..data.source import TreeSource
from ..drnn import LEVELS, POSITIONS, SIBLINGS, VOCABULARY, Seed
from .knob import base, sizes

CHILD, SIBLING = 0.75, 0.6
_YES, _NO = -1.0, 2.0
# Number of trees from which the common one is chosen.
_TRIED = 200

SIZES = sizes({"tiny": {"H": 32}, "small": {"H": 256}})


def make_params(size: str, seed: int, source: TreeSource) -> drnn.DRNN:
    """DRNN's weights for the size without its knob."""
    return drnn.make_params(base(size), seed, source)


def count_nodes(decisions: np.ndarray) -> int:
    """The number of nodes of a tree, from its decisions [2, positions], child and sibling."""
    count, work = 0, [(0, 0, 0)]
    while work:
        at, level, number = work.pop()
        count += 1
        if level < LEVELS and decisions[0, at]:
            work.append((SIBLINGS * at + 1, level + 1, 0))
        if level > 0 and number < SIBLINGS - 1 and decisions[1, at]:
            work.append((at + 1, level, number + 1))
    return count


def draw_decisions(rng: np.random.Generator) -> np.ndarray:
    """Child and sibling at every position, bool [2, positions]."""
    decisions: np.ndarray = rng.random((2, POSITIONS)) < np.array([[CHILD], [SIBLING]])
    return decisions


def common_decisions(rng: np.random.Generator) -> np.ndarray:
    """The decisions of a tree with about the mean number of nodes."""
    tried = [draw_decisions(rng) for _ in range(_TRIED)]
    counts = np.array([count_nodes(d) for d in tried])
    return tried[int(np.abs(counts - counts.mean()).argmin())]


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Seed]:
    """`batch` seeds."""
    chance = SIZES[size]["divergence"] / 100
    # The common decisions are the same for every knob.
    common = common_decisions(np.random.default_rng([seed, batch, 31]))
    rng = np.random.default_rng([seed, batch, 31, 1])

    def one() -> Seed:
        own = rng.random((2, POSITIONS)) < chance
        decisions = np.where(own, draw_decisions(rng), common)
        child, sibling = np.where(decisions, _YES, _NO).tolist()
        return Seed(int(rng.integers(VOCABULARY)), child, sibling)

    return [one() for _ in range(batch)]


WORKLOAD = Workload(
    name="divergent_decisions",
    order=31,
    label="DRNN, decisions differ",
    title="DRNN, decisions that differ by a knob",
    control_flow="tensor-dependent recursion, instance parallelism",
    decides=True,
    study=DIVERGENCE,
    shares="drnn",
    sizes=SIZES,
    model=drnn.decode,
    make_params=make_params,
    make_instances=make_instances,
)
