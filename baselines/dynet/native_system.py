"""The native build, driven from C++: graphs are built and evaluated at DyNet's own speed.

The driver has its own representation of trees and sequences; the instances are written to it once,
in `prepare`. Every run builds the graph of the whole mini-batch and evaluates it, as with the
wheel.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import workloads
from acrobat.runtime.gpu import find_gpu

from ..api import Breakdown, NotBuilt, Problem, Supported, Unsupported
from ..shared.clock import fastest
from ..shared.support import check
from .arrays import weight_arrays
from .blas import described
from .cpu import RELEASE_FLAGS, built
from .cuda import HOST_FLAGS, built_cuda, load_libraries
from .failure import last_failure
from .forms import WORKLOADS, Parts, form_of
from .native import Driver
from .sources import DYNET, EIGEN
from .wheel import LOCKSTEP, STRATEGIES, Memory

# The workloads of which the driver has a second model, in lockstep: their decisions depend on
# values, and can be batched across instances by hand.
DECIDING = tuple(name for name in WORKLOADS if workloads.get(name).decides)
# Workloads on which DyNet 2.1.2 with strategy 3 reads outside an array, for two or more instances.
_CRASHES = ("nestedrnn", "treelstm_childsum")

# The initial size of the pool for the values of nodes: enough for one instance of the models that
# revert, which requires that the pool has not grown; for the others it grows in the first run.
_FORWARD_MIB = 128
# The extra size of the pool for weights, beyond the weights themselves.
_SLACK_MIB = 64
# Copies of the weights that the forms of a model keep; DyNet adds a gradient to each.
_COPIES = {"treelstm": 4}


def _not_built(target: str, where: str, advice: str) -> str:
    if failure := last_failure(target):
        return f"the native build of DyNet failed on {where} ({advice}): {failure}"
    return f"DyNet has not been built natively for {where}: {advice}"


def known_crash(problem: Problem) -> Unsupported | None:
    """Why DyNet is known to fail on a problem for which its driver has a model; else None."""
    if problem.variant != "autobatch3" or problem.workload not in _CRASHES:
        return None
    return Unsupported(
        f"DyNet's strategy 3 crashes on {problem.workload}: it runs a kind of node only when none "
        f"of it is left at its depth, and finds no such kind (exec.cc)"
    )


def not_built_here(advice: str) -> NotBuilt:
    """What a row says if the build for the CPU is missing; `advice` is the end of the reason."""
    command = "python -m baselines.dynet.build"
    return NotBuilt(_not_built("cpu", "this machine", f"{command}; {advice}"))


class System:
    """The workloads for which the driver has a model, on one thread."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """The driver's workloads, if the native build exists."""
        variants = (*STRATEGIES, *(s + LOCKSTEP for s in STRATEGIES))
        answer = check(
            problem, "dynet", workloads=WORKLOADS, variants=variants, devices=("cpu", "cuda")
        )
        if crash := known_crash(problem):
            return crash
        if problem.variant.endswith(LOCKSTEP) and problem.workload not in DECIDING:
            return Unsupported(
                f"{problem.workload} takes no decisions from values: there is nothing to do in "
                f"lockstep"
            )
        if isinstance(answer, Supported) and problem.device == "cuda":
            arch = f"sm_{find_gpu().arch}"
            if built_cuda(arch) is None:
                return NotBuilt(
                    _not_built(arch, "this GPU", f"python -m baselines.dynet.build --cuda {arch}")
                )
            return answer
        if isinstance(answer, Supported) and built() is None:
            wheel = f"'wheel-{problem.variant.removesuffix(LOCKSTEP)}'"
            return not_built_here(f"or measure the wheel's variants, {wheel}")
        return answer

    def prepare(self, problem: Problem) -> None:
        """Write weights and instances; choose the fastest form of the model for this mini-batch."""
        start = time.perf_counter()
        arrays, self.rebuild = form_of(problem.workload, problem.instances, problem.params)
        self.input_ms = (time.perf_counter() - start) * 1e3
        weights = weight_arrays(problem.params)
        floats = 2 * _COPIES.get(problem.workload, 1) * sum(a.size for a in weights.values())
        memory = Memory(_FORWARD_MIB, _SLACK_MIB + 4 * floats // (1 << 20))
        if problem.device == "cuda":
            load_libraries()
            libraries = built_cuda(f"sm_{find_gpu().arch}")
        else:
            libraries = built()
        assert libraries is not None
        self.device = problem.device
        self.driver = Driver(
            libraries,
            problem.workload,
            STRATEGIES[problem.variant.removesuffix(LOCKSTEP)],
            problem.variant.endswith(LOCKSTEP),
            memory.descriptor(),
            weights,
            arrays,
        )

        def try_out(form: int) -> Callable[[], object]:
            return lambda: self.driver.run(form)

        forms = {name: try_out(form) for form, name in enumerate(self.driver.forms)}
        self.form = self.driver.forms.index(fastest(forms, rounds=3))

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        self.driver.run(self.form)

    def outputs(self) -> list[Any]:
        """The results in the reference's structure."""
        return self.rebuild(Parts(self.driver.values()), self.driver.numbers().tolist())

    def breakdown(self) -> Breakdown:
        """The figures of the last run. `graph_ms` is building the graph and clearing the last one;
        `kernel_ms` includes DyNet's scheduling and copying, which it does not report separately."""
        figures = self.driver.figures
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=figures.clear_ms + figures.graph_ms,
            kernel_ms=figures.forward_ms,
            n_nodes=figures.nodes,
            n_batches=figures.batches,
            n_syncs=figures.syncs,
            peak_mem_mb=figures.bytes / 2**20,
            threads_used=1,
            versions=versions(self.driver, self.device, self.form),
        )


def versions(driver: Driver, device: str, form: int) -> dict[str, str]:
    """The versions for a row: what was built and how, and the chosen form of the model."""
    flags = f"{RELEASE_FLAGS}, {described()}" if device == "cpu" else " ".join(HOST_FLAGS)
    return {
        "dynet": DYNET.requirement,
        "eigen": EIGEN.requirement,
        "compiler": f"{driver.compiler} {flags}",
        "form": driver.forms[form],
    }
