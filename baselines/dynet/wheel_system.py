"""The wheel, driven from Python."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.clock import fastest
from ..shared.support import check
from ..shared.trees import HEIGHT, flatten_tree
from .wheel import MODULE, PACKAGE, STRATEGIES, WHEEL, Memory, load, version

# Floats that DyNet keeps per tree node and hidden unit, with room to spare: about 25 for results,
# and the copies that it makes of operands that are not contiguous.
_FLOATS_PER_NODE_AND_UNIT = 64


class System:
    """TreeLSTM through the Python wheel, on one thread, inference only."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """TreeLSTM on the CPU, if the wheel is installed."""
        return check(
            problem,
            "dynet",
            workloads=("treelstm",),
            variants=tuple(WHEEL + s for s in STRATEGIES),
            module=MODULE,
            package=PACKAGE,
        )

    def prepare(self, problem: Problem) -> None:
        """Load DyNet, copy the weights, choose the fastest form of the cell for this mini-batch.

        The trees remain Python objects: DyNet's own form of an instance is the graph, whose
        construction is timed.
        """
        from .treelstm import FORMS, Form, Weights, build_graph

        strategy = STRATEGIES[problem.variant.removeprefix(WHEEL)]
        p, self.trees = problem.params, list(problem.instances)
        flat = [flatten_tree(tree) for tree in self.trees]
        height = max(int(tree[-1, HEIGHT]) for tree in flat)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), height + 1000))
        hidden, n_nodes = p.emb.shape[1], sum(map(len, flat))
        # The weights of four forms, each with room for its gradient, which DyNet always reserves.
        weights = 2 * 4 * (p.emb.size + 4 * (p.w.size + p.w_leaf.size))
        memory = Memory(
            forward=64 + 4 * _FLOATS_PER_NODE_AND_UNIT * hidden * n_nodes // (1 << 20),
            parameters=64 + weights // (1 << 20),
        )
        self.dy = load(strategy, memory)
        self.weights, self.build_graph = Weights(self.dy, p), build_graph

        def try_out(form: Form) -> Callable[[], None]:
            def once() -> None:
                self.form = form
                self.run()

            return once

        names = {str(form): form for form in FORMS}
        choice = fastest({name: try_out(form) for name, form in names.items()}, rounds=3)
        self.form = names[choice]

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        start = time.perf_counter()
        self.results = self.build_graph(self.dy, self.weights, self.form, self.trees)
        built = time.perf_counter()
        # Evaluating the last root evaluates all nodes before it, and it is the last of the graph.
        self.results[-1][0].forward()
        self.graph_ms = (built - start) * 1e3
        self.kernel_ms = (time.perf_counter() - built) * 1e3

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """(h, c) of every root."""
        return [
            tuple(np.asarray(x.npvalue(), np.float32) for x in result) for result in self.results
        ]

    def breakdown(self) -> Breakdown:
        """The figures of the last run. `kernel_ms` includes DyNet's scheduling and copying, which
        it does not report separately."""
        return Breakdown(
            input_ms=0.0,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            threads_used=1,
            versions={"dynet": version(), "form": str(self.form)},
        )
