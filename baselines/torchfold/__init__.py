"""torchfold 0.1.0, TensorFlow Fold's algorithm for PyTorch, as its documentation uses it.

Every call of a module's method becomes `fold.add("method", ...)`, which records a node at the depth
of its arguments; `fold.apply` runs depth by depth, one call per method on the arguments of all
nodes, which it concatenates. All of the graph is there before anything is computed. One module per
workload: `Net`, the methods over batches; `record`, the nodes of an instance, whose result is a
tuple of lists of them; and `result`, that result from the rows.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import time
from typing import Any, ClassVar

import workloads

from ..api import Breakdown, Problem, Supported, Unsupported
from ..needs import Needs
from ..shared.support import check, implemented
from ..system_record import Look, SystemRecord

WORKLOADS = implemented(__name__)
_NAME = "torchfold"


class System:
    """What needs no tensor's value to go on."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """What there is a module of, where torch and torchfold are installed."""
        name = problem.workload
        if name in workloads.ALL and workloads.get(name).decides:
            return Unsupported(
                f"torchfold records all of the graph before it computes anything; control flow of "
                f"{name} depends on tensors"
            )
        answer = check(problem, _NAME, workloads=WORKLOADS, module="torch")
        if isinstance(answer, Unsupported):
            return answer
        return check(problem, _NAME, workloads=WORKLOADS, module=_NAME)

    def prepare(self, problem: Problem) -> None:
        """Weights as torch tensors; instances stay Python objects, as its users have them."""
        import torch

        from ..shared.place import Place
        from .today import load_fold

        torch.set_num_threads(problem.threads)
        self.torch, self.place, self.fold_class = torch, Place(problem.device), load_fold()
        self.module = importlib.import_module(f"{__name__}.{problem.workload}")
        self.net = self.module.Net(problem.params)
        self.instances = list(problem.instances)
        # A call per level; Python-to-Python calls need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))

    def run(self) -> None:
        """Record all instances, then run what was recorded."""
        start = time.perf_counter()
        fold = self.fold_class()
        with self.torch.inference_mode():
            self.recorded = [self.module.record(fold, one) for one in self.instances]
            recorded = time.perf_counter()
            # One list of nodes per kind of result, over all instances.
            kinds = zip(*self.recorded, strict=True)
            nodes = [[node for listed in kind for node in listed] for kind in kinds]
            self.values = fold.apply(self.net, nodes)
        self.graph_ms = (recorded - start) * 1e3
        self.kernel_ms = (time.perf_counter() - recorded) * 1e3
        self.n_nodes = sum(len(calls) for step in fold.steps.values() for calls in step.values())
        self.n_batches = sum(map(len, fold.steps.values()))

    def outputs(self) -> list[Any]:
        """The rows of each instance, in the reference's structure."""
        results, at = [], [0] * len(self.values)
        arrays = [self.place.get(value) for value in self.values]
        for one in self.recorded:
            ends = [first + len(nodes) for first, nodes in zip(at, one, strict=True)]
            rows = [a[s:e] for a, s, e in zip(arrays, at, ends, strict=True)]
            results.append(self.module.result(*rows))
            at = ends
        return results

    def breakdown(self) -> Breakdown:
        """Recording is `graph_ms`; `apply`, which also looks for what it can take uncopied, is
        `kernel_ms`."""
        return Breakdown(
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            n_nodes=self.n_nodes,
            n_batches=self.n_batches,
            n_kernel_calls=self.n_batches,
            versions={**self.place.versions(), _NAME: importlib.metadata.version(_NAME)},
        )


RECORD = SystemRecord(
    name=_NAME,
    implementation=System,
    order=62,
    variants=("full",),
    label="TorchFold",
    title="TorchFold",
    prose="TorchFold",
    look=Look("#882255", marker="<"),
    family="TorchFold",
    built_on=("torch_eager",),
    packages={"cpu": ("torch", "torchfold")},
    needs=(Needs("torchfold", "TorchFold", packages=("torchfold",)),),
)
