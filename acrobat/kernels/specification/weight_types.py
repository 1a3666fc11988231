"""How the weights that a mini-batch shares are stored for kernels, and what that makes of them.

fp32    as they are
bf16    bfloat16, the upper half of a float32, rounded to nearest, ties to even: 8 bits of mantissa

Products and sums are float32 whatever the type: a kernel widens what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

import numpy as np

WeightType = Literal["fp32", "bf16"]
WEIGHT_TYPES: tuple[WeightType, ...] = get_args(WeightType)
# Of one weight.
WEIGHT_BYTES: Final[Mapping[WeightType, int]] = {"fp32": 4, "bf16": 2}


def bf16_bits(array: np.ndarray) -> np.ndarray:
    """Float32 numbers as bfloat16, uint16 of the same shape. NaN stays NaN, and what is beyond the
    largest bfloat16 by half a unit becomes infinite, as processors do it."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    # Half a unit of what stays, but for ties of even numbers.
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    found: np.ndarray = np.where(np.isnan(array), quiet, rounded).astype(np.uint16)
    return found


def rounded_to_bf16(array: np.ndarray) -> np.ndarray:
    """Float32 numbers rounded to bfloat16, as float32."""
    wide = bf16_bits(array).astype(np.uint32) << np.uint32(16)
    return wide.view(np.float32)
