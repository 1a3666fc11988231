"""The limit of a training step: for each level or step, the products of the forward pass and those
with the transposed weights in the backward pass; for each weight, one product over all rows.

As in inference, nothing else is computed: no gathers, no point-wise operations, no update.
"""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch

from workloads import losses

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.gemm import Linear
from ..shared.place import Place
from ..shared.steps import check_training
from ..torch_batched.weights import Weights

# BERxiT and MV-RNN also multiply matrices of nodes; StackRNN takes different actions in inference.
_OTHERS = ("berxit", "mvrnn", "stackrnn")
_IMPLEMENTED = tuple(name for name in losses.names() if name not in _OTHERS)


class Trainer:
    """Runs the products of `torch_batched`: forward, backward, and for the weights' gradients."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Workloads with a loss whose products all have a weight as an operand."""
        return check_training(problem, "floor", implemented=_IMPLEMENTED, module="torch")

    def prepare(self, problem: Problem) -> None:
        """Run inference once and record its products; choose a kernel for each."""
        torch.set_num_threads(problem.threads)
        self.place, loss = Place("cpu"), losses.get(problem.workload)
        weights = Weights(self.place)
        module = importlib.import_module(f"baselines.torch_batched.{problem.workload}")
        form = module.flatten([loss.bare(instance) for instance in problem.instances])
        with torch.inference_mode():
            net = module.Batched(loss.inner(problem.params), form, weights)
            if loss.output:
                matrix = getattr(problem.params, loss.output[0])
                output = weights.linear("output", matrix)
            net.assemble()
            weights.record = True
            net.compute()
            if loss.output:
                rows = sum(map(loss.rows, problem.instances))
                output(torch.zeros(rows, matrix.shape[0]))
            self.forward = weights.products
            self.back, self.of_weights = self._others(weights)
        self.n_nodes, self.n_batches = net.n_nodes, net.n_batches
        self.forward_ms = self.backward_ms = 0.0
        self.run()

    def _others(
        self, weights: Weights
    ) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
        """The products of the backward pass, in order, and those for the gradients of weights."""
        back: list[Callable[[], object]] = []
        turned: dict[str, Linear] = {}
        rows_of: dict[str, int] = {}
        for name, rows in reversed(weights.rows):
            if not name:
                raise NotImplementedError("a product of tensors none of which is a weight")
            k, n = weights.linears[name].shape
            if name not in turned:
                turned[name] = Linear(self.place, np.zeros((n, k), np.float32))
            back.append(functools.partial(turned[name], _random(rows, n)))
            rows_of[name] = rows_of.get(name, 0) + rows
        of_weights: list[Callable[[], object]] = []
        for name, rows in rows_of.items():
            k, n = weights.linears[name].shape
            of_weights.append(functools.partial(torch.mm, _random(rows, k).t(), _random(rows, n)))
        return back, of_weights

    def reset(self) -> None:
        """Do nothing: a limit has no state."""

    def run(self) -> None:
        """Run all products."""
        start = time.perf_counter()
        with torch.inference_mode():
            for product in self.forward:
                product()
            forward = time.perf_counter()
            for product in (*self.back, *self.of_weights):
                product()
        self.backward_ms = (time.perf_counter() - forward) * 1e3
        self.forward_ms = (forward - start) * 1e3

    def outputs(self) -> list[Any]:
        """Empty: there is nothing to check."""
        return []

    def breakdown(self) -> Breakdown:
        """The times of products only."""
        return Breakdown(
            forward_ms=self.forward_ms,
            backward_ms=self.backward_ms,
            n_nodes=self.n_nodes,
            n_batches=self.n_batches,
            n_kernel_calls=len(self.forward) + len(self.back) + len(self.of_weights),
            versions=self.place.versions(),
        )


def _random(*shape: int) -> torch.Tensor:
    return torch.rand(shape) - 0.5
