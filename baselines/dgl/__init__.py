"""DGL's TreeLSTM example: the trees of a mini-batch form one graph, whose nodes are visited in
topological order (`prop_nodes_topo`), with functions that compute messages, reduce the messages of
a node, and update nodes.

DGL buckets the nodes of a frontier by number of children, and calls the reduce function once per
bucket. Every workload has a module: `graph_of` makes a tree's graph, `Net` runs a batched graph.
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
# The last release that does not require a particular PyTorch; its wheels end with Python 3.11.
_PACKAGE = "dgl==1.1.3"


class System:
    """Runs graphs in which each node is computed once, from the states of its children."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """The two TreeLSTMs, if torch and DGL are installed."""
        answer = check(problem, "dgl", workloads=WORKLOADS, module="torch")
        if isinstance(answer, Unsupported):
            return answer
        return check(problem, "dgl", workloads=WORKLOADS, module="dgl", package=_PACKAGE)

    def prepare(self, problem: Problem) -> None:
        """Convert weights to torch tensors and each tree to a graph, as in DGL's data sets."""
        # Otherwise DGL writes its choice of backend into the home folder.
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
        """Batch the graphs, then propagate; the results are the rows of the roots."""
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
        """The figures of the last run: `graph_ms` is `dgl.batch`; `kernel_ms` is propagation, which
        begins by finding the topological order."""
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
