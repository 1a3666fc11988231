"""A training step by autograd, one instance after the other."""

from __future__ import annotations

import importlib
import sys
from typing import ClassVar

import numpy as np
import torch

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.autograd_steps import AutogradSteps
from ..shared.place import Place
from ..shared.steps import check_training, first_batch
from .losses import WORKLOADS


class Trainer(AutogradSteps):
    """Training operator by operator, on a CPU."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support the workloads that have a loss."""
        return check_training(problem, "torch_eager", implemented=WORKLOADS, module="torch")

    def prepare(self, problem: Problem) -> None:
        """Convert the weights to torch tensors; the instances stay Python objects."""
        module = importlib.import_module(f"baselines.torch_eager.losses.{problem.workload}")
        self.begin(problem, module.TURNED)
        self.net, self.all = module.LossNet(self.leaves.tree), list(problem.instances)
        # One call per level of a tree; calls from Python to Python need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))
        self.versions = Place("cpu").versions()
        self.reset()
        self.choose(first_batch(problem))

    def choose(self, which: np.ndarray) -> None:
        """Select instances by number."""
        self.instances = [self.all[i] for i in which]
        self.take_rate(len(which))

    def total_losses(self) -> torch.Tensor:
        """Compute the losses of all instances, one after the other."""
        return torch.stack([self.net(instance) for instance in self.instances])

    def breakdown(self) -> Breakdown:
        """Return the parts of a step."""
        return Breakdown(
            input_ms=0.0,
            forward_ms=self.forward_ms,
            backward_ms=self.backward_ms,
            update_ms=self.update_ms,
            versions=self.versions,
        )
