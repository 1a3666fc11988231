"""torchfold on today's PyTorch.

torchfold tests whether arguments are instances of `torch.tensor._TensorBase`, a class that became
`torch.Tensor` in PyTorch 0.4; `torch.tensor` is now a function, which takes no attributes. So the
name `torch` in torchfold's module is bound to a view of PyTorch whose `tensor` has that class;
torchfold's code is unchanged.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

import torch


class _View(types.ModuleType):
    """PyTorch, except for `tensor`."""

    tensor = types.SimpleNamespace(_TensorBase=torch.Tensor)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def load_fold() -> Any:
    """Return `torchfold.Fold`, made usable."""
    module = importlib.import_module("torchfold.torchfold")
    vars(module)["torch"] = _View("torch")
    return module.Fold
