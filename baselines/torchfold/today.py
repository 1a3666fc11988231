"""torchfold on today's PyTorch.

It asks whether arguments are `torch.tensor._TensorBase`, a class that has been `torch.Tensor`
since PyTorch 0.4; `torch.tensor` is a function now, which takes no attribute. The name `torch` in
its module is therefore bound to a view of PyTorch whose `tensor` has the class. Its code is as it
was.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

import torch


class _View(types.ModuleType):
    """PyTorch, but for `tensor`."""

    tensor = types.SimpleNamespace(_TensorBase=torch.Tensor)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def load_fold() -> Any:
    """`torchfold.Fold`, which can be used."""
    module = importlib.import_module("torchfold.torchfold")
    vars(module)["torch"] = _View("torch")
    return module.Fold
