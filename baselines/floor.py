"""Not a system but a limit: only the matrix products that any batching of the model must do.

The products of a level-by-level batching with everything else left out: no gathers, no point-wise
work, inputs in place (and warm in the cache), through the fastest library kernel for each row
count. There are no outputs, so nothing is checked.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .api import Breakdown, Problem, Supported, Unsupported
from .support import check
from .trees import assemble, flatten_tree


class System:
    """TreeLSTM's products: leaves [n, H] x [H, 3H] once, then [n, 2H] x [2H, 5H] per height."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """TreeLSTM on the CPU, where torch is installed."""
        return check(problem, "floor", workloads=("treelstm",), module="torch")

    def prepare(self, problem: Problem) -> None:
        """Pack the weights, count the rows of every height, choose a kernel for each."""
        import torch

        from .gemm import Linear

        torch.set_num_threads(problem.threads)
        self.torch, p = torch, problem.params
        self.forest = assemble([flatten_tree(tree) for tree in problem.instances])
        leaves, *levels = np.diff(self.forest.bounds).tolist()
        self.leaf, self.inner = Linear(p.w_leaf, p.b_leaf), Linear(p.w, p.b)
        with torch.inference_mode():
            self.leaf.calibrate([leaves])
            self.inner.calibrate(levels or [1])
            x_leaf = torch.rand(leaves, p.w_leaf.shape[0]) - 0.5
            x = torch.rand(max(levels, default=1), p.w.shape[0]) - 0.5
            self.work: list[tuple[Linear, Any]] = [(self.leaf, x_leaf)]
            self.work += [(self.inner, x[:rows]) for rows in levels]
        self.kernel_ms = 0.0

    def run(self) -> None:
        """All products, in the order of the levels."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            for linear, x in self.work:
                linear(x)
        self.kernel_ms = (time.perf_counter() - start) * 1e3

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """Empty: there is nothing to check."""
        return []

    def breakdown(self) -> Breakdown:
        """Kernels only."""
        return Breakdown(
            kernel_ms=self.kernel_ms,
            n_nodes=self.forest.bounds[-1],
            n_batches=len(self.work),
            n_kernel_calls=len(self.work),
            min_batches=len(self.work),
            versions={
                "torch": self.torch.__version__,
                "leaf_gemm": self.leaf.describe(),
                "inner_gemm": self.inner.describe(),
            },
        )
