"""torchfold 0.1.0, TensorFlow Fold's algorithm for PyTorch, used as in its documentation.

Every call of a module's method becomes `fold.add("method", ...)`, which records a node at the depth
of its arguments; `fold.apply` runs depth by depth, with one call per method on the concatenated
arguments of all nodes. The whole graph is recorded before anything is computed. Each workload has a
module: `Net` has the methods over batches; `record` adds the nodes of an instance and returns those
of its result as a tuple of lists; and `result` makes the result from their rows.
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
    """The workloads without tensor-dependent decisions."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support the workloads that have a module, if torch and torchfold are installed."""
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
        """Convert the weights to torch tensors; instances stay Python objects, as users' are."""
        import torch

        from ..shared.place import Place
        from .today import load_fold

        torch.set_num_threads(problem.threads)
        self.torch, self.place, self.fold_class = torch, Place(problem.device), load_fold()
        self.module = importlib.import_module(f"{__name__}.{problem.workload}")
        self.net = self.module.Net(problem.params)
        self.instances = list(problem.instances)
        # One call per level of a tree; calls from Python to Python need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))

    def run(self) -> None:
        """Record all instances, then run the recorded graph."""
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
        """Return the results by instance, in the reference's structure."""
        results, at = [], [0] * len(self.values)
        arrays = [self.place.get(value) for value in self.values]
        for one in self.recorded:
            ends = [first + len(nodes) for first, nodes in zip(at, one, strict=True)]
            rows = [a[s:e] for a, s, e in zip(arrays, at, ends, strict=True)]
            results.append(self.module.result(*rows))
            at = ends
        return results

    def breakdown(self) -> Breakdown:
        """Return the parts of a run: recording is `graph_ms`; `apply`, which also looks for
        operands that it can use without a copy, is `kernel_ms`."""
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
