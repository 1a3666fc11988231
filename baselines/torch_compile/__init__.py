"""The expert's hand-batched PyTorch through `torch.compile`.

The structure of the mini-batch, the order of the steps and the decisions are `torch_batched`'s own
code. A step (a level, a wave, a cell, a layer) is compiled by inductor, written without in-place
tricks so that it may fuse: one module per workload with a class `Compiled`, `torch_batched`'s
`Batched` with those methods replaced. The variants differ in inductor's options (`regions.py`).
"""

from __future__ import annotations

import importlib
import time
from dataclasses import replace
from typing import Any, ClassVar

from ..api import Breakdown, Problem, Supported, Unsupported
from ..needs import Needs
from ..shared.support import check, implemented
from ..system_record import Look, SystemRecord
from ..torch_batched import System as Batched

WORKLOADS = implemented(__name__)
# Those whose regions are functions from tensors to tensors. The others write into tables, which a
# CUDA graph would have to copy: inductor refuses it.
GRAPHS = implemented(__name__, defines="GRAPHS")


class System(Batched):
    """Every workload, batched by hand, its steps compiled."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("unfrozen", "frozen", "graphs")

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Every workload, where torch and a C++ compiler (on a GPU Triton too) are installed."""
        on_gpu = problem.device == "cuda"
        answer = check(
            problem,
            "torch_compile",
            workloads=WORKLOADS,
            variants=System.VARIANTS,
            devices=("cpu", "cuda"),
            module="torch",
        )
        if problem.variant == "graphs" and not on_gpu:
            return Unsupported("torch_compile's variant 'graphs' is CUDA graphs: it needs a GPU")
        if problem.variant == "graphs" and problem.workload not in GRAPHS:
            return Unsupported(
                f"torch_compile has no CUDA graphs of {problem.workload}: its regions write into "
                f"tables in place"
            )
        if isinstance(answer, Supported) and on_gpu:
            answer = check(
                problem,
                "torch_compile",
                workloads=WORKLOADS,
                variants=System.VARIANTS,
                devices=("cuda",),
                module="triton",
            )
        if isinstance(answer, Supported) and not compiler():
            return Unsupported("torch_compile needs a C++ compiler: g++ was not found")
        return answer

    def prepare(self, problem: Problem) -> None:
        """Flatten the instances and run the mini-batch once, which compiles every region for what
        it meets. From then on a compilation is an error: it would be timed."""
        from . import regions

        regions.configure(problem.variant)
        if problem.variant == "graphs":
            regions.begin()
        start = time.perf_counter()
        super().prepare(problem)
        self.compile_s = time.perf_counter() - start
        regions.finish()
        self.begin = regions.begin if problem.variant == "graphs" else None
        if self.begin:
            # A region's graph is recorded at its second call with the same sizes.
            for _ in range(2):
                self.run()

    def run(self) -> None:
        """As `torch_batched`; with CUDA graphs their results of the last run are given up."""
        if self.begin:
            self.begin()
        super().run()

    def batched(self, problem: Problem, form: Any) -> Any:
        """The workload's `Compiled` for instances in their flat form."""
        from .weights import PlainWeights

        module = importlib.import_module(f"baselines.torch_compile.{problem.workload}")
        return module.Compiled(problem.params, form, PlainWeights(self.place))

    def breakdown(self) -> Breakdown:
        """As `torch_batched`; `compile_s` is the whole first run. A warm cache shortens it."""
        return replace(super().breakdown(), compile_s=self.compile_s)


def compiler() -> str | None:
    """The C++ compiler that inductor calls, as a path."""
    import os
    import shutil

    return shutil.which(os.environ.get("CXX", "g++"))


RECORD = SystemRecord(
    name="torch_compile",
    implementation=System,
    order=50,
    variants=("unfrozen",),
    label="the expert's PyTorch, compiled",
    title="compiled",
    prose="PyTorch (compiled)",
    look=Look("#56B4E9", marker="P", hatch="......"),
    family="PyTorch",
    prepare_s=30.0,
    built_on=("torch_batched",),
    packages={"cpu": ("torch",), "cuda": ("torch",)},
    needs=(
        Needs("torch.compile", "torch.compile", packages=("torch",), compiler=True, headers=True),
    ),
)
