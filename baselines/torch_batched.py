"""What an expert writes by hand in PyTorch: all trees of the mini-batch level by level.

One gather for the children's hidden states, one for their cells, one matrix product for all gates,
point-wise work in place, results straight into the rows of the next gather. All leaves are one
level. torch's tanh takes ten times as long as its sigmoid here, so everything is a sigmoid, with
tanh(x) = 2 sigmoid(2x) - 1 and every factor of two, exact in floating point, folded into the
weights:

    the matrix gives 2u in place of u, its rows expect h/2, and the state kept is (h/2, 2c):
    2c = 4 sigmoid(i) (sigmoid(2u) - 1/2) + sigmoid(f_l) 2c_l + sigmoid(f_r) 2c_r
    h/2 = sigmoid(o) (sigmoid(2c) - 1/2)
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .api import Breakdown, Problem, Supported, Unsupported
from .support import check
from .trees import Forest, assemble, flatten_tree


class System:
    """TreeLSTM batched by hand."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """TreeLSTM on the CPU, where torch is installed."""
        return check(problem, "torch_batched", workloads=("treelstm",), module="torch")

    def prepare(self, problem: Problem) -> None:
        """Fold and pack the weights, choose the matrix kernels, flatten the trees."""
        import torch

        torch.set_num_threads(problem.threads)
        self.torch = torch
        start = time.perf_counter()
        self.trees = [flatten_tree(tree) for tree in problem.instances]
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.graph_ms = self.kernel_ms = 0.0
        self.forest = assemble(self.trees)
        self.cell = BatchedTreeLSTM(problem.params, self.forest)

    def run(self) -> None:
        """Assemble the batch from the flat trees, then run it level by level."""
        start = time.perf_counter()
        self.forest = assemble(self.trees)
        assembled = time.perf_counter()
        with self.torch.inference_mode():
            self.h, self.c = self.cell(self.forest)
        self.graph_ms = (assembled - start) * 1e3
        self.kernel_ms = (time.perf_counter() - assembled) * 1e3

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """(h, c) of every root."""
        return list(zip(self.h.numpy(), self.c.numpy(), strict=True))

    def breakdown(self) -> Breakdown:
        """Assembly is `graph_ms`, everything after it `kernel_ms`; a batch is a level."""
        levels = len(self.forest.bounds) - 1
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            n_nodes=self.forest.bounds[-1],
            n_batches=levels,
            min_batches=levels,
            versions={
                "torch": self.torch.__version__,
                "leaf_gemm": self.cell.leaf.describe(),
                "inner_gemm": self.cell.inner.describe(),
            },
        )


class BatchedTreeLSTM:
    """The cell with folded weights and room for `forest`; other forests may come, and be larger."""

    def __init__(self, params: Any, forest: Forest) -> None:
        import torch

        from .gemm import Linear

        hidden = params.emb.shape[1]
        self.torch, self.hidden = torch, hidden
        # A Python number would be made a tensor at every use.
        self.half = torch.tensor(0.5)
        # Gates in the order i, o, u (, f_l, f_r): u is doubled.
        double_u = np.ones(5 * hidden, np.float32)
        double_u[2 * hidden : 3 * hidden] = 2
        self.emb = torch.from_numpy(params.emb)
        self.leaf = Linear(
            params.w_leaf * double_u[: 3 * hidden], params.b_leaf * double_u[: -2 * hidden]
        )
        self.inner = Linear(params.w * double_u * 2, params.b * double_u)
        levels = np.diff(forest.bounds).tolist()
        with torch.inference_mode():
            self.leaf.calibrate(levels[:1])
            self.inner.calibrate(levels[1:] or [1])
            self._reserve(forest.bounds[-1])

    def __call__(self, forest: Forest) -> tuple[Any, Any]:
        """(h, c) of the roots, each [trees, H], in the forest's order of trees."""
        torch, hidden = self.torch, self.hidden
        n_nodes = forest.bounds[-1]
        if n_nodes > len(self.h):
            self._reserve(n_nodes)
        all_h, all_c, half = self.h, self.c, self.half
        first, end = 0, forest.bounds[1]
        x = torch.index_select(self.emb, 0, torch.from_numpy(forest.words))
        i, o, u = self.leaf(x).sigmoid_().chunk(3, 1)
        h, c = all_h[:end], all_c[:end]
        torch.mul(u.sub_(half), i, out=c).mul_(4.0)
        torch.sigmoid(c, out=h).sub_(half).mul_(o)
        children = torch.from_numpy(forest.children).view(-1)
        leaves = end
        for last in forest.bounds[2:]:
            first, end = end, last
            pairs = children[2 * (first - leaves) : 2 * (end - leaves)]
            x = torch.index_select(all_h, 0, pairs).view(-1, 2 * hidden)
            c_l, c_r = torch.index_select(all_c, 0, pairs).view(-1, 2 * hidden).chunk(2, 1)
            i, o, u, f_l, f_r = self.inner(x).sigmoid_().chunk(5, 1)
            h, c = all_h[first:end], all_c[first:end]
            torch.mul(f_l, c_l, out=c).addcmul_(f_r, c_r).addcmul_(u.sub_(half), i, value=4.0)
            torch.sigmoid(c, out=h).sub_(half).mul_(o)
        roots = torch.from_numpy(forest.roots)
        return all_h.index_select(0, roots).mul_(2.0), all_c.index_select(0, roots).mul_(0.5)

    def _reserve(self, n_nodes: int) -> None:
        self.h = self.torch.zeros(n_nodes, self.hidden)
        self.c = self.torch.zeros(n_nodes, self.hidden)
