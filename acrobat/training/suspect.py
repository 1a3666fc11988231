"""Gradients that are NaN although no result depends on a value that is not finite.

A static block has one adjoint for all of its outputs. An output that no result depends on has a
zero gradient; if the block has computed an infinity for it, zero times infinity is NaN, in the
gradients of operands that others need. With one operation per block, as on the tape, such
operations do not run backward; so the gradients are computed again in that form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..lang.sparse_rows import SparseRows
from .cotangents import tensors_of
from .weight_gradients import WeightGradient


def is_suspect(
    results: Sequence[Any],
    cotangents: Sequence[Sequence[np.ndarray | None]],
    gradients: Iterable[WeightGradient],
) -> bool:
    """Whether a gradient is NaN although every differentiated tensor and its cotangent are finite:
    otherwise NaN may well be right."""
    if not any(_has_nan(g) for g in gradients):
        return False
    return all(
        np.isfinite(tensor).all() and np.isfinite(given).all()
        for result, of_result in zip(results, cotangents, strict=True)
        for tensor, given in zip(tensors_of(result), of_result, strict=True)
        if given is not None
    )


def _has_nan(gradient: WeightGradient) -> bool:
    values = gradient.values if isinstance(gradient, SparseRows) else gradient
    # One pass, no array of booleans: the minimum is NaN if any element is.
    return bool(values.size) and bool(np.isnan(values.min()))
