"""The Cortex-like compiler behind the contract of all systems."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np

import workloads

from ..api import Breakdown, Problem, Supported, Unsupported
from ..support import check

VARIANTS = ("full", "unroll", "refactor", "project")
UNROLL = 2


class System:
    """`treelstm`, `mvrnn`, `birnn`; the reason why not for the others."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """What has a shape before it is computed."""
        from .recursions import REASONS, RECURSIONS, SequenceRecursion

        if problem.workload in REASONS:
            return Unsupported(
                f"cortex cannot express {problem.workload}: {REASONS[problem.workload]}"
            )
        if problem.device == "cuda":
            return Unsupported(
                "cortex has no CUDA path: its kernels are those for CPUs, and a persistent "
                "kernel over all levels is not written"
            )
        answer = check(
            problem,
            "cortex",
            workloads=tuple(RECURSIONS),
            variants=VARIANTS,
            module="tvm",
            package="apache-tvm",
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
            RECURSIONS[problem.workload], model, problem.params, schedule, problem.threads
        )
        self.inputs = self.program.convert(list(problem.instances))

    def run(self) -> None:
        """One mini-batch: linearise, then one call for all levels."""
        self.results, self.profile = self.program.run(self.inputs)

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The results as they came."""
        return list(self.results)

    def breakdown(self) -> Breakdown:
        """`graph_ms` is the linearisation; there is nothing to schedule."""
        p = self.profile
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
            versions={n: importlib.metadata.version(n) for n in ("acrobat", "apache-tvm")},
        )
