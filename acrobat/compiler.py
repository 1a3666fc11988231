"""`ab.compile`: a model function and its weights become a function over mini-batches."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from .aot.build import build_program
from .aot.emit import Emitter
from .errors import OptionError
from .explain import explain
from .ir.batched_printer import print_batched
from .kernels.cpu.build import build_kernels
from .lang.model import Model
from .lang.params import is_params
from .options import Options
from .pipeline import run_pipeline
from .runtime.program import Inputs, Profile, Program
from .vm.program import Inputs as VmInputs
from .vm.program import VmProgram

TARGETS = ("auto", "cpu")


@dataclass(frozen=True, slots=True)
class CallProfile(Profile):
    """The profile of a call, with what compiling took: `compile_s` seconds in all (near zero when
    everything was in the cache), of which none was tuning (`tune_s`)."""

    compile_s: float
    tune_s: float


class CompiledModel:
    """A compiled model: call it with a list of instances to get the list of their results."""

    def __init__(self, model: Model[..., Any], params: Any, options: Options) -> None:
        start = time.perf_counter()
        self.model, self.params, self.options = model, params, options
        self.compilation = run_pipeline(model, params, options)
        module, plans = self.compilation.batched, self.compilation.plans
        assert module is not None
        weights = self.compilation.weights
        self.source = ""
        self.program: Program | VmProgram
        if options.executor == "vm":
            self.program = VmProgram(module, plans, weights, options)
            self.kernels = self.program.kernels.compiled
        else:
            built = build_kernels([k for p in plans for k in p.kernels])
            self.source = Emitter(module, plans, built, options).program()
            library, _ = build_program(self.source, built.path)
            self.program = Program(library, module, plans, weights, options)
            self.kernels = built.kernels
        self.compile_s = time.perf_counter() - start
        self._last: tuple[Any, Profile] | None = None

    def __call__(self, instances: Sequence[Any]) -> list[Any]:
        """Results in the order of the instances. Arrays are views into memory that lives as long
        as they do; copy what you keep for long."""
        return self.run(self.prepare(instances))

    def prepare(self, instances: Sequence[Any]) -> Inputs | VmInputs:
        """Convert instances once, to `run` them several times. InstanceError if one is wrong."""
        return self.program.convert(instances)

    def run(self, inputs: Inputs | VmInputs) -> list[Any]:
        """Run prepared instances."""
        results, profile = self.program.run(inputs)  # type: ignore[arg-type]
        self._last = inputs, profile
        return results

    @property
    def last_profile(self) -> CallProfile:
        """Profile of the last call; runs it once more, untimed, to count the least batches."""
        if self._last is None:
            raise ValueError("the model has not been called yet")
        inputs, profile = self._last
        values = {f.name: getattr(profile, f.name) for f in fields(Profile)}
        values["min_batches"] = self.program.run(inputs, count_min_batches=True)[1].min_batches
        return CallProfile(**values, compile_s=self.compile_s, tune_s=0.0)

    def explain(self) -> str:
        """What is shared, what the static blocks are, which kernels serve them, where the program
        waits; and of the last call, if there was one, what did not batch, and why."""
        profile = None if self._last is None else self._last[1]
        return explain(self.compilation, self.kernels, profile)

    def ir(self, stage: str) -> str:
        """The program at a stage: a pass of the pipeline, "batched", "kernels" or "cpp"."""
        stages = self.compilation.stages
        if stage in stages:
            from .ir.typed_printer import print_typed

            return print_typed(stages[stage])
        if stage == "batched":
            assert self.compilation.batched is not None
            return print_batched(self.compilation.batched)
        if stage == "cpp":
            if not self.source:
                raise ValueError("there is no C++: the control flow is interpreted (executor='vm')")
            return self.source
        if stage == "kernels":
            from .kernels.cpu.emit import kernel_source
            from .kernels.cpu.target import host_target
            from .kernels.cpu.template import choose_template

            specs = [k for p in self.compilation.plans for k in p.kernels]
            return "\n".join(
                kernel_source(s, t := choose_template(s, host_target()), t.tiles[-1]) for s in specs
            )
        raise ValueError(
            f"there is no stage {stage!r}; the stages are "
            f"{', '.join([*stages, 'batched', 'kernels', 'cpp'])}"
        )


class EagerModel:
    """What `ab.compile` returns when ACROBAT_DISABLE=1: the model as plain Python, instance by
    instance. The first question of any bug report is whether it shows here too."""

    def __init__(self, model: Model[..., Any], params: Any) -> None:
        self.model, self.params = model, params

    def __call__(self, instances: Sequence[Any]) -> list[Any]:
        """Results in the order of the instances."""
        return [self.model(self.params, instance) for instance in instances]


def compile(
    model: Model[..., Any],
    params: Any,
    target: str = "auto",
    options: Options | None = None,
) -> CompiledModel | EagerModel:
    """Compile `model` with the weights `params` into a function over mini-batches.

    Raises ModelError if the model is not in the language, OptionError for a target that does not
    exist, ToolchainError if a compiler is missing. With ACROBAT_DISABLE=1 in the environment
    nothing is compiled and every call runs as plain Python.
    """
    if target not in TARGETS:
        raise OptionError(f"target={target!r}: the targets are {', '.join(map(repr, TARGETS))}")
    if not is_params(type(params)):
        raise OptionError(
            f"params: expected an instance of an @ab.params class, got {type(params).__name__}"
        )
    if os.environ.get("ACROBAT_DISABLE") == "1":
        return EagerModel(model, params)
    return CompiledModel(model, params, options or Options())
