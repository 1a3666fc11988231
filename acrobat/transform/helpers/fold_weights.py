"""The values of the weights that `specialise` made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...ir import typed as T
from ...ir.ops import OPS


def fold_weights(
    weights: Mapping[str, np.ndarray], folded: Mapping[str, T.FoldedWeight]
) -> dict[str, np.ndarray]:
    """`weights` and the values of `folded`, by path."""
    values: dict[str, np.ndarray] = dict(weights)

    def evaluate(value: T.Weight | T.FoldedWeight | T.Const) -> np.ndarray | float:
        if isinstance(value, T.Const):
            return value.value
        if value.path not in values:
            assert isinstance(value, T.FoldedWeight)
            args = [evaluate(a) for a in value.args]
            result = OPS[value.op].numpy(*args, **dict(value.attrs))
            values[value.path] = np.ascontiguousarray(result, dtype=np.float32)
        return values[value.path]

    for value in folded.values():
        evaluate(value)
    return values
