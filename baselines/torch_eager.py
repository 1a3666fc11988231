"""What people write first: PyTorch, recursion over one tree after the other."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from .api import Breakdown, Problem, Supported, Unsupported
from .support import check


class System:
    """TreeLSTM, one operator call per gate group, node by node."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """TreeLSTM on the CPU, where torch is installed."""
        return check(problem, "torch_eager", workloads=("treelstm",), module="torch")

    def prepare(self, problem: Problem) -> None:
        """Weights as torch tensors in `nn.Linear`'s form; the trees stay Python objects."""
        import torch

        torch.set_num_threads(problem.threads)
        self.torch = torch
        p = problem.params
        self.emb, self.b_leaf, self.b = map(torch.from_numpy, (p.emb, p.b_leaf, p.b))
        self.w_leaf = torch.from_numpy(np.ascontiguousarray(p.w_leaf.T))
        self.w = torch.from_numpy(np.ascontiguousarray(p.w.T))
        self.trees = list(problem.instances)
        height = max(map(_height, self.trees))
        # A call per level; Python-to-Python calls need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), height + 1000))
        self.total_ms = 0.0

    def run(self) -> None:
        """All trees, one after the other."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            self.results = [self.encode(tree) for tree in self.trees]
        self.total_ms = (time.perf_counter() - start) * 1e3

    def encode(self, tree: Any) -> tuple[Any, Any]:
        """(h, c) of the tree's root, each [H]."""
        torch, linear = self.torch, self.torch.nn.functional.linear
        if hasattr(tree, "left"):
            h_l, c_l = self.encode(tree.left)
            h_r, c_r = self.encode(tree.right)
            gates = linear(torch.cat((h_l, h_r)), self.w, self.b)
            i, o, u, f_l, f_r = gates.chunk(5)
            c = (
                torch.sigmoid(i) * torch.tanh(u)
                + torch.sigmoid(f_l) * c_l
                + torch.sigmoid(f_r) * c_r
            )
        else:
            i, o, u = linear(self.emb[tree.word], self.w_leaf, self.b_leaf).chunk(3)
            c = torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(c), c

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """(h, c) of every root."""
        return [tuple(t.numpy() for t in result) for result in self.results]

    def breakdown(self) -> Breakdown:
        """Nothing is apart: the recursion and the operators interleave."""
        return Breakdown(input_ms=0.0, versions={"torch": self.torch.__version__})


def _height(tree: Any) -> int:
    highest, stack = 0, [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        highest = max(highest, depth)
        if hasattr(node, "left"):
            stack += [(node.left, depth + 1), (node.right, depth + 1)]
    return highest
