"""The weights of a params object for JAX."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import jax


def as_jax(params: Any) -> Any:
    """Return the fields of `params` (nested ones too) as named tuples of JAX arrays, for `jit`."""
    names = [field.name for field in dataclasses.fields(params)]
    values = (getattr(params, name) for name in names)
    made = (as_jax(v) if dataclasses.is_dataclass(v) else jax.device_put(v) for v in values)
    return collections.namedtuple(type(params).__name__, names)(*made)


def split(x: Any, parts: int) -> list[Any]:
    """Split `x` into equal parts along its last axis."""
    pieces: list[Any] = jax.numpy.split(x, parts, axis=-1)
    return pieces
