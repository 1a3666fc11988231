"""The model as people write it first: PyTorch, one instance after the other.

Each workload has a module with a class `Net`: its weights have `nn.Linear`'s form, and `__call__`
runs one instance, which stays a Python object, and returns the result in the reference's structure.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
import time
from typing import Any, ClassVar

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.support import check, implemented
from ..system_record import Look, SystemRecord

WORKLOADS = implemented(__name__)


class System:
    """Every workload, executed operator by operator."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support every workload if torch is installed."""
        return check(
            problem, "torch_eager", workloads=WORKLOADS, devices=("cpu", "cuda"), module="torch"
        )

    def prepare(self, problem: Problem) -> None:
        """Convert the weights and the instances' arrays to torch tensors."""
        import torch

        from ..shared.place import Place
        from .weights import instance_as_torch

        torch.set_num_threads(problem.threads)
        self.torch, self.place = torch, Place(problem.device)
        module = importlib.import_module(f"baselines.torch_eager.{problem.workload}")
        start = time.perf_counter()
        self.instances = [instance_as_torch(i, problem.device) for i in problem.instances]
        self.input_ms = (time.perf_counter() - start) * 1e3
        with torch.inference_mode():
            self.net = module.Net(problem.params, problem.device)
        self.place.synchronize()
        # One call per level of a tree; calls from Python to Python need no C stack.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))

    def run(self) -> None:
        """Run all instances, one after the other."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            self.results = [self.net(instance) for instance in self.instances]
        self.place.synchronize()
        self.total_ms = (time.perf_counter() - start) * 1e3

    def outputs(self) -> list[Any]:
        """Return the results, with numpy arrays in place of tensors."""
        return [self._plain(r) for r in self.results]

    def _plain(self, value: Any) -> Any:
        if isinstance(value, self.torch.Tensor):
            return self.place.get(value)
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._plain, value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = (self._plain(getattr(value, f.name)) for f in dataclasses.fields(value))
            return type(value)(*parts)
        return value

    def breakdown(self) -> Breakdown:
        """Return no separate parts: control flow and operators interleave."""
        return Breakdown(input_ms=self.input_ms, versions=self.place.versions())


RECORD = SystemRecord(
    name="torch_eager",
    implementation=System,
    trainer="baselines.torch_eager.training:Trainer",
    order=30,
    variants=("full",),
    label="PyTorch eager",
    title="eager",
    prose="PyTorch (eager)",
    look=Look("#999999", marker="v"),
    family="PyTorch",
    default=True,
    packages={"cpu": ("torch",), "cuda": ("torch",)},
)
