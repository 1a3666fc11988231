"""The expert's hand-batched PyTorch through `torch.compile`.

The structure of the mini-batch, the order of the steps and the decisions are `torch_batched`'s own
code. A step (a level, a wave, a cell, a layer) is compiled by inductor, and written without
in-place tricks so that inductor may fuse it. Each workload has a module with a class `Compiled`,
which is `torch_batched`'s `Batched` with the methods of the steps replaced. The variants differ in
inductor's options (`regions.py`).
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
# The workloads whose regions are functions from tensors to tensors. The others write to tables,
# which a CUDA graph would have to copy; inductor refuses to.
GRAPHS = implemented(__name__, defines="GRAPHS")


class System(Batched):
    """Every workload, batched by hand, with compiled steps."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("unfrozen", "frozen", "graphs")

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support every workload if torch, a C++ compiler and, on a GPU, Triton are installed."""
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
        """Flatten the instances and run the mini-batch once, which compiles every region for the
        sizes that occur. Later compilations are errors, because they would be timed."""
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
        """Run like `torch_batched`; with CUDA graphs, the results of the last run are discarded."""
        if self.begin:
            self.begin()
        super().run()

    def batched(self, problem: Problem, form: Any) -> Any:
        """Return the workload's `Compiled` for instances in flat form."""
        from .weights import PlainWeights

        module = importlib.import_module(f"baselines.torch_compile.{problem.workload}")
        return module.Compiled(problem.params, form, PlainWeights(self.place))

    def breakdown(self) -> Breakdown:
        """Add `compile_s`, the whole first run, to `torch_batched`'s; a warm cache shortens it."""
        return replace(super().breakdown(), compile_s=self.compile_s)


def compiler() -> str | None:
    """Return the path of the C++ compiler that inductor calls, or None."""
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
