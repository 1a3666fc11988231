"""Training steps by PyTorch's autograd and optimisers; subclasses compute the losses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

import numpy as np
import torch

from ..api import Problem
from .leaves import Leaves, optimiser
from .steps import Steps, rate_of


class AutogradSteps(Steps):
    """Keeps the weights as autograd leaves, from which `total_losses` computes the losses."""

    def begin(self, problem: Problem, turned: Collection[str] = ()) -> None:
        """Make the leaves; those with names in `turned` are stored as [out, in]."""
        assert problem.training is not None
        training = problem.training
        torch.set_num_threads(problem.threads)
        # Said explicitly, because otherwise Adagrad warns about it.
        torch.sparse.check_sparse_tensor_invariants.disable()
        self.leaves = Leaves(problem.params, turned)
        self.training, self.rate = training, training.rate

    @abstractmethod
    def total_losses(self) -> torch.Tensor:
        """The losses of the instances, [n]."""

    def reset(self) -> None:
        """Restore the initial weights, and start with a new optimiser."""
        self.leaves.reset()
        self.optimiser = optimiser(self.leaves, self.training, self.rate)

    def take_rate(self, instances: int) -> None:
        """Set the rate for steps of the given number of instances; needs the optimiser."""
        self.rate = rate_of(self.training, instances)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate

    def forward(self) -> None:
        """Compute the losses and build the autograd graph."""
        self.leaves.forget_gradients()
        self._losses = self.total_losses()

    def backward(self) -> None:
        """Compute the gradients of the sum of the losses; this frees the graph."""
        self._losses.sum().backward()
        self._losses = self._losses.detach()

    def update(self) -> None:
        """Update the weights in place."""
        self.optimiser.step()

    def losses(self) -> np.ndarray:
        """The losses of the instances, [n]."""
        found: np.ndarray = self._losses.detach().numpy().copy()
        return found

    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients by path."""
        return self.leaves.gradients()

    def weights(self) -> dict[str, np.ndarray]:
        """The weights by path."""
        return self.leaves.values()
