"""DyNet: dynamic graphs, batched on the fly (Neubig et al. 2017).

The variant is the build and the autobatch strategy: `autobatch1` is the native build of
`python -m baselines.dynet.build`, driven from C++, `wheel-autobatch1` the wheel from PyPI, driven
from Python. `autobatch1-lockstep` batches the decisions of all instances by hand, where a model
takes decisions from values.
"""

from __future__ import annotations

import importlib

import numpy as np

from ..api import Breakdown, Problem, Supported, Unsupported
from ..api import System as Base
from .wheel import STRATEGIES

WHEEL, LOCKSTEP = "wheel-", "-lockstep"


class System:
    """Either build, chosen by the variant; one thread, inference only."""

    VARIANTS = (*STRATEGIES, *(s + LOCKSTEP for s in STRATEGIES), *(WHEEL + s for s in STRATEGIES))

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """The wheel has TreeLSTM; the native build what its driver has."""
        variant = problem.variant
        if variant not in System.VARIANTS:
            have = ", ".join(System.VARIANTS)
            return Unsupported(f"dynet has no variant {variant!r}; it has {have}")
        return _build(variant).supports(problem)

    def prepare(self, problem: Problem) -> None:
        """See the two builds."""
        self.system: Base = _build(problem.variant)()
        self.system.prepare(problem)

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        self.system.run()

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The results by instance."""
        return self.system.outputs()

    def breakdown(self) -> Breakdown:
        """Graph construction and everything else."""
        return self.system.breakdown()


def _build(variant: str) -> type[Base]:
    name = "wheel_system" if variant.startswith(WHEEL) else "native_system"
    system: type[Base] = importlib.import_module(f"baselines.dynet.{name}").System
    return system
