"""Weights of a params object as torch tensors."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch


def as_torch(params: Any, transposed: tuple[str, ...]) -> SimpleNamespace:
    """The fields of `params` (nested ones too) as tensors; those named in `transposed` in the form
    of `torch.nn.functional.linear`, [out, in]."""
    found = {}
    for field in dataclasses.fields(params):
        value = getattr(params, field.name)
        if dataclasses.is_dataclass(value):
            found[field.name] = as_torch(value, transposed)
        else:
            turned = value.T if field.name in transposed else value
            found[field.name] = torch.from_numpy(np.ascontiguousarray(turned))
    return SimpleNamespace(**found)
