"""Ragged arrays of a mini-batch as one rectangular array, with sizes rounded up to a few buckets,
because every new shape is compiled again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def bucket(n: int, step: int = 16) -> int:
    """The size of at least `n` that an array gets: the next multiple of `step`, which grows with
    `n` so that a size is at most an eighth too large, or `step`."""
    while n > 16 * step:
        step *= 2
    return -(-n // step) * step


def stack_padded(arrays: Sequence[np.ndarray], length: int, fill: int = 0) -> np.ndarray:
    """Arrays [n_i, ...] of one type as [len(arrays), length, ...], with `fill` behind each."""
    first = arrays[0]
    out = np.full((len(arrays), length, *first.shape[1:]), fill, first.dtype)
    for row, array in zip(out, arrays, strict=True):
        row[: len(array)] = array
    return out


def lengths_of(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Their lengths, int32."""
    return np.fromiter(map(len, arrays), np.int32, len(arrays))


def padded(array: np.ndarray, length: int, fill: int = 0) -> np.ndarray:
    """An array [n, ...] with `fill` behind it up to `length`."""
    out = np.full((length, *array.shape[1:]), fill, array.dtype)
    out[: len(array)] = array
    return out
