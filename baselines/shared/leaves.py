"""The weights of a params object as leaves of PyTorch's autograd, and their update."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from acrobat.lang.params import weights

from ..api import Training
from .steps import ADAM_BETAS, ADAM_EPSILON, ADAM_EPSILON_BEFORE

# Added to the root; DyNet's Adagrad adds its epsilon inside the root.
ADAGRAD_EPSILON = 1e-10


class Leaves:
    """Leaves of autograd. `tree` holds the weights by name, in nested namespaces; those with names
    in `turned` have the layout of `torch.nn.functional.linear`, [out, in]. Each has its own memory.
    """

    def __init__(self, params: Any, turned: Collection[str] = ()) -> None:
        self._first = weights(params)
        self._turned = {path for path in self._first if path.rpartition(".")[2] in turned}
        self.by_path = {
            path: torch.from_numpy(self._layout(path, array).copy()).requires_grad_()
            for path, array in self._first.items()
        }
        self.adam: AdamByKind | None = None  # made on first use
        self.tree = SimpleNamespace()
        for path, leaf in self.by_path.items():
            *outer, name = path.split(".")
            at = self.tree
            for part in outer:
                if not hasattr(at, part):
                    setattr(at, part, SimpleNamespace())
                at = getattr(at, part)
            setattr(at, name, leaf)

    def _layout(self, path: str, array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.T) if path in self._turned else array

    def reset(self) -> None:
        """Restore the initial weights."""
        with torch.no_grad():
            for path, leaf in self.by_path.items():
                leaf.copy_(torch.from_numpy(self._layout(path, self._first[path])))

    def forget_gradients(self) -> None:
        """Drop the gradients, before a step."""
        for leaf in self.by_path.values():
            leaf.grad = None

    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients by path, in the layout of the params; copies."""
        found = {}
        for path, leaf in self.by_path.items():
            grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
            dense = (grad.to_dense() if grad.is_sparse else grad).numpy()
            found[path] = (dense.T if path in self._turned else dense).copy()
        return found

    def values(self) -> dict[str, np.ndarray]:
        """The weights by path, in the layout of the params; copies."""
        arrays = {path: leaf.detach().numpy() for path, leaf in self.by_path.items()}
        return {p: (a.T if p in self._turned else a).copy() for p, a in arrays.items()}


class AdamByKind:
    """PyTorch's Adam for weights whose gradients are arrays, and its SparseAdam for tables, whose
    gradients are rows. The first step tells the two kinds apart."""

    def __init__(self, every: list[torch.Tensor], rate: float) -> None:
        self._every, self._rate = every, rate
        self._parts: list[torch.optim.Optimizer] = []

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The parameter groups of both, like those of PyTorch's optimisers; empty before the first
        step."""
        return [group for part in self._parts for group in part.param_groups]

    def restart(self) -> None:
        """Return to the state before the first step, in the same memory, as DyNet does: rounds of
        samples begin so, and a new optimiser would have to allocate memory in the first step."""
        for part in self._parts:
            for state in part.state.values():
                for name, value in state.items():
                    state[name] = value.zero_() if isinstance(value, torch.Tensor) else 0

    def step(self) -> None:
        """Update the weights by their gradients."""
        if not self._parts:
            arrays = [w for w in self._every if w.grad is None or not w.grad.is_sparse]
            tables = [w for w in self._every if w.grad is not None and w.grad.is_sparse]
            rate, betas = self._rate, ADAM_BETAS
            if arrays:
                self._parts.append(torch.optim.Adam(arrays, rate, betas, ADAM_EPSILON, fused=True))
            if tables:
                self._parts.append(torch.optim.SparseAdam(tables, rate, betas, ADAM_EPSILON_BEFORE))
        for part in self._parts:
            part.step()


def optimiser(
    leaves: Leaves, training: Training, rate: float
) -> torch.optim.Optimizer | AdamByKind:
    """PyTorch's optimiser for `training`, with the rate `rate`."""
    every = list(leaves.by_path.values())
    match training.optimiser:
        case "sgd":
            return torch.optim.SGD(every, lr=rate)
        case "adagrad":
            return torch.optim.Adagrad(every, lr=rate, eps=ADAGRAD_EPSILON)
        case "adam":
            if leaves.adam is None:
                leaves.adam = AdamByKind(every, rate)
            leaves.adam.restart()
            return leaves.adam
        case other:
            raise ValueError(f"there is no optimiser {other!r}; write 'sgd', 'adagrad' or 'adam'")
