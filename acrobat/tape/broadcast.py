"""Gradients of operands that an operation has broadcast."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def summed(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum `g` to the gradient of an operand of shape `shape` that the operation has broadcast."""
    if g.shape == shape:
        return g
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    repeated = tuple(i for i, (n, m) in enumerate(zip(shape, g.shape, strict=True)) if n != m)
    return g.sum(axis=repeated, keepdims=True) if repeated else g
