"""The calls of a JAX system, the same whether mini-batches are made by `vmap` or by hand."""

from __future__ import annotations

import importlib
import platform
import time
from collections.abc import Sequence
from typing import Any, ClassVar

from ..api import Breakdown, NotBuilt, Problem, Supported, Unsupported
from ..shared.support import check
from .environment import JAX
from .threads import limit_threads


class JaxSystem:
    """A package of `baselines` with a module per workload.

    Each module has a class `Batched(params, instances)`, with the weights as named tuples of JAX
    arrays: `assemble()` makes the arrays of the mini-batch, `compute()` returns the arrays to wait
    for, and `results()` the outputs.
    """

    VARIANTS: ClassVar[tuple[str, ...]] = ("full",)
    name: ClassVar[str]
    workloads: ClassVar[Sequence[str]]

    @classmethod
    def supports(cls, problem: Problem) -> Supported | Unsupported | NotBuilt:
        """Support the workloads that have a model, if the environment has been made."""
        answer = check(problem, cls.name, workloads=cls.workloads)
        lack = JAX.lack()
        if isinstance(answer, Unsupported) or lack is None:
            return answer
        return NotBuilt(f"{cls.name}: {lack}")

    def prepare(self, problem: Problem) -> None:
        """Convert weights and instances to arrays, and run the mini-batch once, to compile it."""
        limit_threads(problem.threads)
        import jax

        from .weights import as_jax

        # Synchronous dispatch: a run waits for its results in any case.
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        self.jax = jax
        module = importlib.import_module(f"baselines.{self.name}.{problem.workload}")
        params = as_jax(problem.params)
        start = time.perf_counter()
        form = module.flatten(problem.instances)
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.net = module.Batched(params, form)
        start = time.perf_counter()
        self.run()
        self.compile_s = time.perf_counter() - start

    def run(self) -> None:
        """Assemble the mini-batch from the flat instances, then run it."""
        start = time.perf_counter()
        self.net.assemble()
        assembled = time.perf_counter()
        self.jax.block_until_ready(self.net.compute())
        self.graph_ms = (assembled - start) * 1e3
        self.kernel_ms = (time.perf_counter() - assembled) * 1e3

    def outputs(self) -> list[Any]:
        """Return the results by instance, in the reference's structure."""
        results: list[Any] = self.net.results()
        return results

    def breakdown(self) -> Breakdown:
        """Return the parts: assembly, with padding, is `graph_ms`, all after it `kernel_ms`."""
        import jaxlib
        import numpy

        found = {"python": platform.python_version(), "numpy": numpy.__version__}
        found |= {"jax": self.jax.__version__, "jaxlib": jaxlib.__version__}
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            compile_s=self.compile_s,
            versions=found,
        )
