"""A training step by autograd, the whole mini-batch at once."""

from __future__ import annotations

import importlib
import time
from typing import ClassVar

import numpy as np
import torch

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.autograd_steps import AutogradSteps
from ..shared.place import Place
from ..shared.steps import check_training, first_batch
from .losses import WORKLOADS


class Trainer(AutogradSteps):
    """Training batched by hand, on a CPU."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support the workloads that have a loss."""
        return check_training(problem, "torch_batched", implemented=WORKLOADS, module="torch")

    def prepare(self, problem: Problem) -> None:
        """Convert the weights to torch tensors and the instances to flat arrays."""
        module = importlib.import_module(f"baselines.torch_batched.losses.{problem.workload}")
        self.begin(problem, module.TURNED)
        start = time.perf_counter()
        self.form = module.flatten(problem.instances)
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.module = module
        self.graph_ms = 0.0
        self.versions = Place("cpu").versions()
        self.reset()
        self.choose(first_batch(problem))

    def choose(self, which: np.ndarray) -> None:
        """Select instances by number, from the flat arrays of all."""
        some = self.module.chosen(self.form, which)
        self.net = self.module.BatchedLoss(self.leaves.tree, some)
        self.take_rate(len(which))

    def total_losses(self) -> torch.Tensor:
        """Assemble the mini-batch, then compute its losses."""
        start = time.perf_counter()
        self.net.assemble()
        self.graph_ms = (time.perf_counter() - start) * 1e3
        found: torch.Tensor = self.net.compute()
        return found

    def breakdown(self) -> Breakdown:
        """Return the parts of a step; assembly, `graph_ms`, is part of the forward pass."""
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            forward_ms=self.forward_ms,
            backward_ms=self.backward_ms,
            update_ms=self.update_ms,
            n_nodes=self.net.n_nodes,
            n_batches=self.net.n_batches,
            versions=self.versions,
        )
