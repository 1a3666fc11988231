"""Triton's interpreter, for what the generated kernels use: to be imported in a process in which
Triton interprets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from triton.runtime.interpreter import ReduceOps


def sum_together() -> None:
    """Have the interpreter add up several tensors at once as it adds up one; by itself it goes from
    element to element."""
    ReduceOps.generic_reduce = _generic_reduce


_one_by_one = ReduceOps.generic_reduce


def _generic_reduce(self: Any, tensors: Sequence[Any]) -> list[Any]:
    if not self.combine_fn.fn.__name__.startswith("add"):
        return list(_one_by_one(self, tensors))
    return [
        self.to_tensor(np.sum(t.handle.data, axis=self.axis, keepdims=self.keep_dims), t.dtype)
        for t in tensors
    ]
