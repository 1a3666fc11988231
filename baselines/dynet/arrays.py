"""Writes the plain binary format, described in cpp/arrays.h, in which the native driver reads
weights and instances."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_KINDS = {np.dtype(np.float32): b"f", np.dtype(np.int32): b"i"}


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write float32 and int32 arrays by name; TypeError names an array of another type."""
    with path.open("wb") as out:
        out.write(b"ARRAYS1\n")
        for name, array in arrays.items():
            if array.dtype not in _KINDS:
                raise TypeError(f"{name} is {array.dtype}; the format has float32 and int32")
            label = name.encode()
            out.write(struct.pack("<I", len(label)) + label + _KINDS[array.dtype])
            out.write(struct.pack(f"<I{array.ndim}Q", array.ndim, *array.shape))
            out.write(np.ascontiguousarray(array).tobytes())


def weight_arrays(params: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """The weights of a params object by name; those of nested objects are `outer.inner`."""
    found: dict[str, np.ndarray] = {}
    for field in dataclasses.fields(params):
        value = getattr(params, field.name)
        if dataclasses.is_dataclass(value):
            found.update(weight_arrays(value, f"{prefix}{field.name}."))
        else:
            found[prefix + field.name] = value
    return found
