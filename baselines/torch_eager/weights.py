"""The weights of a params object as torch tensors."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch


def as_torch(params: Any, transposed: tuple[str, ...], device: str) -> SimpleNamespace:
    """Return the fields of `params` (nested ones too) as tensors on `device`; those named in
    `transposed` are in the form of `torch.nn.functional.linear`, [out, in]."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(params):
        value = getattr(params, field.name)
        if dataclasses.is_dataclass(value):
            found[field.name] = as_torch(value, transposed, device)
        else:
            turned = value.T if field.name in transposed else value
            found[field.name] = torch.from_numpy(np.ascontiguousarray(turned)).to(device)
    return SimpleNamespace(**found)


def instance_as_torch(instance: Any, device: str) -> Any:
    """Return `instance` with its arrays as tensors on `device`, or itself if it has none."""
    if not dataclasses.is_dataclass(instance):
        return instance
    values = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance)}
    arrays = {n: v for n, v in values.items() if isinstance(v, np.ndarray)}
    if not arrays:
        return instance
    tensors = {n: torch.from_numpy(a).to(device) for n, a in arrays.items()}
    return SimpleNamespace(**{**values, **tensors})
