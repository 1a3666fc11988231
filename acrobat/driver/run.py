"""Runs the stages of a pipeline on one model, and keeps what every pass made."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..ir import batched as B
from ..ir import typed as T
from ..ir.typed_verify import Verified
from ..kernels.specification.spec import BlockPlan
from ..options import Options
from .dump import Dump
from .failure import naming
from .records import Context, Product, Stage
from .show import text_of, verify


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that ran: what it made, and how many seconds it took."""

    name: str
    stage: str
    product: Product
    seconds: float


@dataclass(slots=True)
class Compilation:
    """Everything that the passes made, in order. `weights`: the model's weights by path, including
    those that the compiler computed from others. `kernel_s`: the seconds of compiling each kernel
    that was not in the cache, by name; `program_s`: the seconds of g++."""

    options: Options
    steps: list[Step] = field(default_factory=list)
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    dump: Dump | None = None
    kernel_s: Mapping[str, float] = field(default_factory=dict)
    program_s: float = 0.0

    @property
    def stages(self) -> Mapping[str, Product]:
        """What each pass made, by the pass's name."""
        return MappingProxyType({s.name: s.product for s in self.steps})

    @property
    def typed(self) -> T.Module:
        """The last typed module."""
        return next(s.product for s in reversed(self.steps) if isinstance(s.product, T.Module))

    @property
    def module(self) -> B.Module:
        """The last batched module, from which kernels and C++ are generated."""
        return next(s.product for s in reversed(self.steps) if isinstance(s.product, B.Module))

    @property
    def plans(self) -> tuple[BlockPlan, ...]:
        """The kernel specifications of every block of `module`."""
        return next(s.product for s in reversed(self.steps) if isinstance(s.product, tuple))

    def text(self, name: str) -> str:
        """Return what the pass `name` made, as text. KeyError if it did not run."""
        return text_of(self.stages[name])

    def write(self, name: str, text: str, start: float, suffix: str = ".txt") -> None:
        """Dump, if requested, code generated from the modules; its generation began at `start` (a
        time of perf_counter)."""
        if self.dump is not None:
            self.dump.write(name, text, time.perf_counter() - start, suffix)


def run_stages(
    stages: Sequence[Stage], model: Any, context: Context, dump: Dump | None
) -> Compilation:
    """Run every pass whose condition the options meet; the first one gets `model`.

    The module that the first pass makes is verified, which takes milliseconds: most of what would
    go wrong without a word later is wrong there. With ACROBAT_VERIFY=1 so is every other module.
    CompilerBug, which names the pass, if one fails or its module breaks an invariant. ModelError if
    the model is not in the language."""
    done = Compilation(context.options, dump=dump)
    verifies = os.environ.get("ACROBAT_VERIFY") == "1"
    verified: dict[str, Verified] = {}
    product = model
    for stage in stages:
        for step in stage.passes:
            if not step.when(context.options):
                continue
            with naming(step.name, stage.name):
                start = time.perf_counter()
                product = step.function(product, *step.extra(context))
                seconds = time.perf_counter() - start
                if step.verified and (verifies or not done.steps):
                    verify(product, verified)
            done.steps.append(Step(step.name, stage.name, product, seconds))
            if dump is not None:
                dump.write(step.name, text_of(product), seconds)
    return done
