"""Flattening results of any structure into arrays, to compare systems with the reference."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np

from acrobat.runtime.device_array import DeviceArray


def flatten(result: Any) -> tuple[str, list[np.ndarray]]:
    """The structure of a result as text, and its tensors and floats in order. Booleans and ints
    belong to the structure: they are either right or wrong, not close."""
    arrays: list[np.ndarray] = []
    parts: list[str] = []
    work: list[Any] = [result]
    while work:
        value = work.pop()
        if isinstance(value, _Close):
            parts.append(value.text)
        elif isinstance(value, (np.ndarray, np.float32, DeviceArray)):
            # numpy turns a tensor of rank 0 into a scalar when an operator is applied.
            parts.append(f"tensor{list(value.shape)}")
            arrays.append(np.asarray(value))
        elif isinstance(value, collections.deque):
            parts.append(f"deque, at most {value.maxlen}:")
            work.append(list(value))
        elif isinstance(value, (list, tuple)):
            parts.append("[" if isinstance(value, list) else "(")
            work.append(_Close("]" if isinstance(value, list) else ")"))
            work.extend(reversed(value))
        elif isinstance(value, (set, frozenset)):
            items = ", ".join(sorted(map(repr, value)))
            parts.append(f"{type(value).__name__}({items})")
        elif isinstance(value, dict):
            parts.append("{")
            work.append(_Close("}"))
            work.extend(part for item in reversed(value.items()) for part in reversed(item))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts.append(f"{type(value).__name__}(")
            work.append(_Close(")"))
            work.extend(getattr(value, f.name) for f in reversed(dataclasses.fields(value)))
        elif isinstance(value, float):
            parts.append("float")
            arrays.append(np.asarray(value))
        else:
            # numpy also makes scalars of ints: `x.argmax()` in plain Python.
            parts.append(repr(value.item() if isinstance(value, np.generic) else value))
    return " ".join(parts), arrays


@dataclasses.dataclass(frozen=True, slots=True)
class _Close:
    text: str
