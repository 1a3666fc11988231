"""A training step, one instance after the other, by autograd."""

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
    """Operator by operator, on a CPU."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Workloads with a loss."""
        return check_training(problem, "torch_eager", implemented=WORKLOADS, module="torch")

    def prepare(self, problem: Problem) -> None:
        """Weights as torch tensors; the instances stay Python objects."""
        module = importlib.import_module(f"baselines.torch_eager.losses.{problem.workload}")
        self.begin(problem, module.TURNED)
        self.net, self.all = module.LossNet(self.leaves.tree), list(problem.instances)
        # A call per level; Python-to-Python calls need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))
        self.versions = Place("cpu").versions()
        self.reset()
        self.choose(first_batch(problem))

    def choose(self, which: np.ndarray) -> None:
        """By number."""
        self.instances = [self.all[i] for i in which]
        self.take_rate(len(which))

    def total_losses(self) -> torch.Tensor:
        """All instances, one after the other."""
        return torch.stack([self.net(instance) for instance in self.instances])

    def breakdown(self) -> Breakdown:
        """The parts of a step."""
        return Breakdown(
            input_ms=0.0,
            forward_ms=self.forward_ms,
            backward_ms=self.backward_ms,
            update_ms=self.update_ms,
            versions=self.versions,
        )
