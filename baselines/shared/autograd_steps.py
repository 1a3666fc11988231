"""Training steps by PyTorch's autograd and optimisers, whoever computes the losses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

import numpy as np
import torch

from ..api import Problem
from .leaves import Leaves, optimiser
from .steps import Steps, rate_of


class AutogradSteps(Steps):
    """Has the weights as leaves; `total_losses` computes the losses from them."""

    def begin(self, problem: Problem, turned: Collection[str] = ()) -> None:
        """Make the leaves, those called as in `turned` as [out, in], and the optimiser."""
        assert problem.training is not None
        training = problem.training
        torch.set_num_threads(problem.threads)
        # Or Adagrad warns that nobody said so.
        torch.sparse.check_sparse_tensor_invariants.disable()
        self.leaves = Leaves(problem.params, turned)
        self.training, self.rate = training, training.rate

    @abstractmethod
    def total_losses(self) -> torch.Tensor:
        """The losses of the instances, [n]."""

    def reset(self) -> None:
        """The first weights, and an optimiser that has seen nothing."""
        self.leaves.reset()
        self.optimiser = optimiser(self.leaves, self.training, self.rate)

    def take_rate(self, instances: int) -> None:
        """Of steps of so many instances, once there is an optimiser."""
        self.rate = rate_of(self.training, instances)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate

    def forward(self) -> None:
        """The graph of autograd, and its values."""
        self.leaves.forget_gradients()
        self._losses = self.total_losses()

    def backward(self) -> None:
        """From the sum of the losses; the graph is gone afterwards."""
        self._losses.sum().backward()
        self._losses = self._losses.detach()

    def update(self) -> None:
        """In place."""
        self.optimiser.step()

    def losses(self) -> np.ndarray:
        """Of the instances."""
        found: np.ndarray = self._losses.detach().numpy().copy()
        return found

    def gradients(self) -> dict[str, np.ndarray]:
        """By path."""
        return self.leaves.gradients()

    def weights(self) -> dict[str, np.ndarray]:
        """By path."""
        return self.leaves.values()
