"""Padding of a mini-batch's ragged arrays to one rectangular array, with sizes rounded up to a few
buckets, because every new shape needs a compilation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def bucket(n: int, step: int = 16) -> int:
    """Return the size, of at least `n`, to which an array is padded: the next multiple of `step`,
    which grows with `n` so that a size is too large by at most an eighth, or by `step`."""
    while n > 16 * step:
        step *= 2
    return -(-n // step) * step


def stack_padded(arrays: Sequence[np.ndarray], length: int, fill: int = 0) -> np.ndarray:
    """Stack arrays [n_i, ...] of one type as [len(arrays), length, ...], padded with `fill`."""
    first = arrays[0]
    out = np.full((len(arrays), length, *first.shape[1:]), fill, first.dtype)
    for row, array in zip(out, arrays, strict=True):
        row[: len(array)] = array
    return out


def lengths_of(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return the lengths of arrays, int32."""
    return np.fromiter(map(len, arrays), np.int32, len(arrays))


def padded(array: np.ndarray, length: int, fill: int = 0) -> np.ndarray:
    """Pad an array [n, ...] with `fill` to `length`."""
    out = np.full((length, *array.shape[1:]), fill, array.dtype)
    out[: len(array)] = array
    return out
