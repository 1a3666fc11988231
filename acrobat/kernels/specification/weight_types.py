"""How the weights that a mini-batch shares are stored for kernels, and how that changes them.

fp32    unchanged
bf16    bfloat16, the upper half of a float32, rounded to nearest, ties to even: 8 bits of mantissa
int8    integers from -127 to 127, and a float32 scale for each column of a gate, by which the sums
        are multiplied once, at the end: the column's weight of largest magnitude becomes +-127
tiles   like bf16, with the rows that they are multiplied by rounded, too: for a CPU's matrix unit

Products and sums are float32 whatever the type. Except with tiles, a kernel widens what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

WeightType = Literal["fp32", "bf16", "int8", "tiles"]
# Bytes per weight.
WEIGHT_BYTES: Final[Mapping[WeightType, int]] = {"fp32": 4, "bf16": 2, "int8": 1, "tiles": 2}


def described(weight_type: WeightType) -> str:
    """A phrase for reports about a type other than float32."""
    return "products of bf16" if weight_type == "tiles" else f"weights in {weight_type}"


def bf16_bits(array: np.ndarray) -> np.ndarray:
    """Float32 numbers as bfloat16, uint16 of the same shape. NaN stays NaN, and numbers at least
    half a unit beyond the largest bfloat16 become infinite, as on processors."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    # Add half a unit of the bits that are kept, or just less if these are even: ties go to even.
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    found: np.ndarray = np.where(np.isnan(array), quiet, rounded).astype(np.uint16)
    return found


def rounded_to_bf16(array: np.ndarray) -> np.ndarray:
    """Float32 numbers rounded to bfloat16, as float32."""
    wide = bf16_bits(array).astype(np.uint32) << np.uint32(16)
    return wide.view(np.float32)


def quantised(parts: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """The weights that the terms of a gate read, [k, width] each, as int8 of the same shapes, and
    the scale of each column, float32 [width]: 0 if the whole column is 0, NaN if any of it is not
    finite, so that the results are NaN, too."""
    largest = np.max([abs(p).max(axis=0) for p in parts], axis=0)
    finite = np.isfinite(largest)
    scale = np.where(finite, largest / np.float32(127), np.float32(np.nan)).astype(np.float32)
    by = np.where(finite & (scale > 0), scale, np.float32(1))
    # In a column that is not finite, any integers will do. Where the scale is 0, or slightly too
    # small for the column's weights, they are clipped.
    whole = (np.clip(np.rint(np.where(finite, p, 0) / by), -127, 127) for p in parts)
    return [w.astype(np.int8) for w in whole], scale
