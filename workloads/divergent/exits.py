"""BERxiT with sequences that exit at the same depth or at different ones.

The layer at which a sequence exits is drawn in advance, uniformly over all layers; every certainty
exceeds its threshold, and none exceeds those before it. To find out, a system must compute the
certainties as before. The common choice of all sequences is the middle layer.
"""

from __future__ import annotations

import numpy as np

from .. import berxit
from ..api import DIVERGENCE, Workload
from ..berxit import Sequence
from ..data.source import TreeSource
from .knob import sizes

_YES, _NO = -1.0, 2.0

SIZES = sizes({"tiny": {"N": 1, "S": 16, "layers": 7}, "small": {"N": 4, "S": 64, "layers": 13}})


def make_params(size: str, seed: int, source: TreeSource) -> berxit.BERxiT:
    """BERxiT's weights for the size."""
    return berxit.weights(SIZES[size], seed)


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Sequence]:
    """`batch` embedded sequences and their thresholds."""
    rng = np.random.default_rng([seed, batch, 32])
    dims = SIZES[size]
    shape, layers = (dims["S"], 64 * dims["N"]), dims["layers"]

    def one() -> Sequence:
        own, drawn = rng.random() < dims["divergence"] / 100, int(rng.integers(layers))
        leaves = drawn if own else layers // 2
        thresholds = [_NO] * leaves + [_YES] * (layers - leaves)
        return Sequence(rng.standard_normal(shape).astype(np.float32), thresholds)

    return [one() for _ in range(batch)]


WORKLOAD = Workload(
    name="divergent_exits",
    order=32,
    label="BERxiT, exits differ",
    title="BERxiT, exits that differ by a knob",
    control_flow="tensor-dependent early exit, phases",
    decides=True,
    study=DIVERGENCE,
    shares="berxit",
    sizes=SIZES,
    model=berxit.classify,
    make_params=make_params,
    make_instances=make_instances,
)
