"""TensorFlow Probability's `experimental.auto_batching` (Radul, Patton, Maclaurin, Hoffman,
Saurous, "Automatically Batching Control-Intensive Programs for Modern Accelerators", MLSys 2020):
Python functions of one instance, with `if` and recursion, run over a mini-batch under masks.

Variants: `stackless` interprets the functions call by call, one TensorFlow operation after the
other, on the instances that make the call; `program_counter` gives every instance a program counter
and stacks of its variables, stages the whole as one TensorFlow graph, and at each step runs the
block of the least counter; `program_counter_jit` is that graph compiled by XLA. Each workload has a
module, whose `flatten` returns the instances as arrays, and whose `Program` has the functions.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from typing import Any, ClassVar

from ..api import Breakdown, NotBuilt, Problem, Supported, Unsupported
from ..needs import Needs
from ..shared.support import check, implemented
from ..system_record import Build, Look, SystemRecord
from .environment import TFP

WORKLOADS = implemented(__name__)
_VARIANTS = ("stackless", "program_counter", "program_counter_jit")
# For every stack: the value below all calls, one above as in TensorFlow Probability's sampler, and
# two to spare, since a program may give a leaf the depth 0.
_MORE_ROOM = 4


class System:
    """The functions of one instance, run over a mini-batch."""

    VARIANTS: ClassVar[tuple[str, ...]] = _VARIANTS

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """Support the workloads that have a program, if the environment has been made."""
        answer = check(problem, "tfp", workloads=WORKLOADS, variants=_VARIANTS)
        lack = TFP.lack()
        if isinstance(answer, Unsupported) or lack is None:
            return answer
        return NotBuilt(f"tfp: {lack}")

    def prepare(self, problem: Problem) -> None:
        """Convert the weights to tensors and run the mini-batch once, which stages the graph."""
        # Otherwise TensorFlow reports that it has found no GPU.
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(problem.threads)
        tf.config.threading.set_inter_op_parallelism_threads(problem.threads)
        self.tf, self.stackless = tf, problem.variant == "stackless"
        # Nested calls are Python's; TensorFlow Probability's interpreter has four frames per call.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 100_000))
        module = importlib.import_module(f"{__name__}.{problem.workload}")
        start = time.perf_counter()
        form = module.flatten(problem.instances)
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.program = module.Program(problem.params, form)
        compiled = problem.variant == "program_counter_jit"
        self.staged = tf.function(self._staged, autograph=False, jit_compile=compiled)
        start = time.perf_counter()
        self.run()
        self.compile_s = time.perf_counter() - start

    def run(self) -> None:
        """Assemble the tables of the mini-batch, then run the functions."""
        start = time.perf_counter()
        tables, inputs = self.program.assemble()
        assembled = time.perf_counter()
        given = {name: self.tf.constant(table) for name, table in tables.items()}
        inputs = tuple(map(self.tf.constant, inputs))
        if self.stackless:
            vars(self.program.tables).update(given)
            values = self.program.function(*inputs, stackless=True)
        else:
            values = self.staged(given, inputs)
        self.values = self.tf.nest.map_structure(lambda value: value.numpy(), values)
        self.graph_ms = (assembled - start) * 1e3
        self.kernel_ms = (time.perf_counter() - assembled) * 1e3

    def _staged(self, tables: Any, inputs: Any) -> Any:
        vars(self.program.tables).update(tables)
        depth = self.program.depth() + _MORE_ROOM
        return self.program.function(*inputs, max_stack_depth=depth)

    def outputs(self) -> list[Any]:
        """Return the results by instance, in the reference's structure."""
        results: list[Any] = self.program.results(self.values)
        return results

    def breakdown(self) -> Breakdown:
        """Return the parts of a run: assembly is `graph_ms`, everything after it `kernel_ms`."""
        import numpy
        import tensorflow_probability

        found = {"python": platform.python_version(), "numpy": numpy.__version__}
        found |= {"tensorflow": self.tf.__version__}
        found |= {"tensorflow_probability": tensorflow_probability.__version__}
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            compile_s=self.compile_s,
            versions=found,
        )


RECORD = SystemRecord(
    name="tfp",
    implementation=System,
    order=64,
    variants=_VARIANTS,
    label="TensorFlow Probability",
    title="TFP",
    prose="TFP (auto_batching)",
    look=Look("#332288", marker="p"),
    family="TFP",
    needs=(Needs("tfp", "TensorFlow Probability", environment=TFP),),
    build=Build("baselines.tfp.environment", variants="", devices=("cpu",)),
    environment=TFP,
)
