"""The Cortex-like compiler behind the interface of all systems."""

from __future__ import annotations

import importlib.metadata
from typing import Any, ClassVar

import numpy as np

import acrobat
import workloads

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.support import check

UNROLL = 2

# The toolchain that generates a device's kernels: the module that must be importable, and its
# package.
_TOOLCHAIN = {"cpu": ("tvm", "apache-tvm"), "cuda": ("triton", "triton")}


class System:
    """Runs `treelstm`, `mvrnn` and `birnn`; the others are unsupported, with a reason."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full", "unroll", "refactor", "project")

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Workloads whose shape is known before anything is computed."""
        from .recursions import REASONS, RECURSIONS, SequenceRecursion

        if problem.workload in REASONS:
            return Unsupported(
                f"cortex cannot express {problem.workload}: {REASONS[problem.workload]}"
            )
        if problem.device == "cuda" and problem.variant == "unroll":
            return Unsupported(
                "cortex has nothing to unroll on a GPU: what is unrolled is a thread's share of "
                "several levels, and the programs of the persistent kernel have none"
            )
        module, package = _TOOLCHAIN.get(problem.device, ("numpy", "numpy"))
        answer = check(
            problem,
            "cortex",
            workloads=tuple(RECURSIONS),
            variants=System.VARIANTS,
            devices=tuple(_TOOLCHAIN),
            module=module,
            package=package,
        )
        recursion = RECURSIONS.get(problem.workload)
        if problem.variant == "refactor" and isinstance(recursion, SequenceRecursion):
            return Unsupported(
                "cortex has nothing to refactor in a sequence: a step has one child, whose step "
                "would only take over all of its work"
            )
        if problem.variant == "project" and not isinstance(recursion, SequenceRecursion):
            return Unsupported(
                "cortex has nothing to project in a tree: its leaves are a dense batch as it is"
            )
        return answer

    def prepare(self, problem: Problem) -> None:
        """Compile the recursion and convert the instances."""
        from .compiler import Schedule, compile_recursion
        from .recursions import RECURSIONS

        schedule = Schedule(
            unroll=UNROLL if problem.variant == "unroll" else 1,
            refactor=problem.variant == "refactor",
            project=problem.variant == "project",
        )
        model: Any = workloads.get(problem.workload).model
        self.program, self.compile_s = compile_recursion(
            RECURSIONS[problem.workload],
            model,
            problem.params,
            schedule,
            problem.threads,
            problem.device,
        )
        self.package = _TOOLCHAIN[problem.device][1]
        self.inputs = self.program.convert(list(problem.instances))

    def run(self) -> None:
        """Run one mini-batch: linearise it, then compute all levels in one call."""
        self.results, self.read_profile = self.program.run(self.inputs)

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The unchanged results; on a GPU `DeviceArray`s, which numpy copies to the host."""
        return list(self.results)

    def breakdown(self) -> Breakdown:
        """The figures of the last run: `graph_ms` is linearisation; nothing is scheduled."""
        p = self.read_profile()
        return Breakdown(
            input_ms=p.input_ms,
            graph_ms=p.graph_ms,
            schedule_ms=0.0,
            copy_ms=p.copy_ms,
            kernel_ms=p.kernel_ms,
            n_nodes=p.n_nodes,
            n_batches=p.n_batches,
            n_kernel_calls=p.n_kernel_calls,
            n_syncs=0,
            peak_mem_mb=p.peak_mem_mb,
            compile_s=self.compile_s,
            tune_s=0.0,
            versions={
                "acrobat": acrobat.__version__,
                self.package: importlib.metadata.version(self.package),
            },
        )
