"""DyNet: dynamic graphs, batched on the fly (Neubig et al. 2017).

The variant names the build and the autobatch strategy: `autobatch1` is the native build of
`python -m baselines.dynet.build`, driven from C++, `wheel-autobatch1` the wheel from PyPI, driven
from Python. `autobatch1-lockstep` batches the decisions of all instances by hand, for models whose
decisions depend on values.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..api import Breakdown, NotBuilt, Problem, Supported, Unsupported
from ..needs import Needs
from ..system_record import Build, Look, SystemRecord
from . import native_system, wheel_system
from .wheel import LOCKSTEP, STRATEGIES, WHEEL

_Build = native_system.System | wheel_system.System


class System:
    """Either build, chosen by the variant; one thread, inference only."""

    VARIANTS: ClassVar[tuple[str, ...]] = (
        *STRATEGIES,
        *(s + LOCKSTEP for s in STRATEGIES),
        *(WHEEL + s for s in STRATEGIES),
    )

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """The wheel has TreeLSTM; the native build has the models of its driver."""
        variant = problem.variant
        if variant not in System.VARIANTS:
            have = ", ".join(System.VARIANTS)
            return Unsupported(f"dynet has no variant {variant!r}; it has {have}")
        return _build(variant).supports(problem)

    def prepare(self, problem: Problem) -> None:
        """Prepare the build that the variant chooses."""
        self.system = _build(problem.variant)()
        self.system.prepare(problem)

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        self.system.run()

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The results, one per instance."""
        return self.system.outputs()

    def breakdown(self) -> Breakdown:
        """The figures of the chosen build."""
        return self.system.breakdown()


def _build(variant: str) -> type[_Build]:
    return wheel_system.System if variant.startswith(WHEEL) else native_system.System


RECORD = SystemRecord(
    name="dynet",
    implementation=System,
    trainer="baselines.dynet.training:Trainer",
    order=10,
    variants=("autobatch1", "autobatch2", "autobatch3"),
    label="DyNet, best strategy",
    title="DyNet",
    prose="DyNet",
    look=Look("#D55E00", marker="s"),
    family="DyNet",
    variants_are="strategy",
    default=True,
    builds_graphs=True,
    # The native build uses the fastest form of a model, the wheel the fastest form of a cell.
    chooses_by_timing=("cpu", "cuda"),
    packages={"cpu": ("dyNET38",)},
    needs=(
        Needs("dynet-wheel", "DyNet's wheel", packages=("dynet38",)),
        Needs(
            "dynet-native",
            "DyNet's native build",
            programs=("cmake", "ninja"),
            compiler=True,
            pip=True,
        ),
    ),
    build=Build("baselines.dynet.build", variants="autobatch"),
)
