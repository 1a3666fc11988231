"""DGL's TreeLSTM example: the trees of a mini-batch as one graph, whose nodes are visited in
topological order (`prop_nodes_topo`), with functions for the messages, for what comes of a node's
messages, and for nodes.

DGL buckets the nodes of a frontier by their number of children, one call of the second function per
bucket. One module per workload: `graph_of` makes the graph of a tree, `Net` runs a batched graph.
"""

from __future__ import annotations

import importlib
import os
import time
from typing import Any, ClassVar

from ..api import Breakdown, Problem, Supported, Unsupported
from ..needs import Needs
from ..shared.support import check, implemented
from ..system_record import Look, SystemRecord

WORKLOADS = implemented(__name__)
# The last release that asks for no particular PyTorch, and the last Python that it has a wheel for.
_PACKAGE = "dgl==1.1.3"


class System:
    """Graphs of nodes, each of which is computed once, from its children's states."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """The two TreeLSTMs, where torch and DGL are installed."""
        answer = check(problem, "dgl", workloads=WORKLOADS, module="torch")
        if isinstance(answer, Unsupported):
            return answer
        return check(problem, "dgl", workloads=WORKLOADS, module="dgl", package=_PACKAGE)

    def prepare(self, problem: Problem) -> None:
        """Weights as torch tensors, a graph per tree, as DGL's data sets have them."""
        # Otherwise DGL writes its choice into the home folder.
        os.environ.setdefault("DGLBACKEND", "pytorch")
        import dgl
        import torch

        from ..shared.place import Place

        torch.set_num_threads(problem.threads)
        self.torch, self.dgl, self.place = torch, dgl, Place(problem.device)
        module = importlib.import_module(f"{__name__}.{problem.workload}")
        start = time.perf_counter()
        self.graphs = [module.graph_of(tree) for tree in problem.instances]
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.net = module.Net(problem.params)

    def run(self) -> None:
        """Batch the graphs, then propagate; the result is the rows of the roots."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            batched = self.dgl.batch(self.graphs)
            # A tree's root is its last node.
            roots = batched.batch_num_nodes().cumsum(0) - 1
            assembled = time.perf_counter()
            self.net.n_batches = 0
            self.values = self.net(batched, roots)
        self.graph_ms = (assembled - start) * 1e3
        self.kernel_ms = (time.perf_counter() - assembled) * 1e3
        self.n_nodes = batched.num_nodes()

    def outputs(self) -> list[Any]:
        """(h, c) of every root."""
        return list(zip(*(self.place.get(value) for value in self.values), strict=True))

    def breakdown(self) -> Breakdown:
        """`dgl.batch` is `graph_ms`; propagation, which finds the topological order first, is
        `kernel_ms`."""
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            n_nodes=self.n_nodes,
            n_batches=self.net.n_batches,
            versions={**self.place.versions(), "dgl": self.dgl.__version__},
        )


RECORD = SystemRecord(
    name="dgl",
    implementation=System,
    order=63,
    variants=("full",),
    label="DGL",
    title="DGL",
    prose="DGL",
    look=Look("#44AA99", marker=">"),
    family="DGL",
    built_on=("torch_eager",),
    packages={"cpu": ("torch", "dgl")},
    needs=(Needs("dgl", "DGL", packages=(_PACKAGE,)),),
)
