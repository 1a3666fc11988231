"""`CompiledModel`: a function over mini-batches, and everything that can be asked about it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, Generic, TypeVar

from .arguments import check_arguments
from .build import build, kernel_sources, layout_of
from .driver.run import Compilation
from .driver.slow import slow_compilation
from .eager import EagerProgram
from .errors import InstanceError
from .explain.distance import explain_batches, watched_program
from .explain.report import explain
from .finite.check import at_fault, check_decisions, check_results
from .finite.inputs import CheckedInputs
from .kernels.printers.calling_convention import CompiledKernel
from .kernels.printers.cpu.schedule import Schedule
from .kernels.printers.cuda.compiled import CudaKernel, PersistentKernel
from .kernels.schedules import schedules_for
from .lang.model import Model
from .lang.params import weights
from .lang.replaced_weights import replacement
from .log import logger, stage
from .options import Options
from .pipeline import run_pipeline
from .runtime.matrices import all_with_matrices
from .runtime.object_inputs import ObjectInputs
from .runtime.prepared import check_inputs
from .runtime.profile import CallProfile, ReadProfile
from .runtime.program import Inputs, Program
from .runtime.read_instances import read_instances
from .stage_text import stage_text
from .targets import choose_target
from .trace import Trace, trace_call
from .training.cotangents import cotangents_of
from .training.differentiable import Differentiable
from .training.weight_gradients import as_params
from .training.wrt import Wrt, chosen_weights
from .transform.helpers.fold_weights import fold_weights, made_of
from .vm.program import VmProgram

_I = TypeVar("_I")  # an instance
_R = TypeVar("_R")  # a result

_DISABLED = (
    "nothing is compiled, because ACROBAT_DISABLE=1 is set: every call runs {} as plain Python, "
    "one instance after the other"
)

# Instances in the form in which a program runs them.
Prepared = Inputs | ObjectInputs | CheckedInputs


class CompiledModel(Generic[_I, _R]):
    """A compiled model: call it with a list of instances to get the list of their results.

    With ACROBAT_DISABLE=1 in the environment (`is_compiled` is False) it runs the model as plain
    Python, one instance after the other. Everything else works as before, as far as it applies: the
    first question about a bug report is whether the bug occurs in this mode, too."""

    def __init__(
        self,
        model: Model[..., Any],
        params: Any,
        options: Options,
        target: str = "cpu",
        schedules: Mapping[str, Schedule] | None = None,
        given: Any = None,
    ) -> None:
        """`schedules`: those of the kernels that do not use the rule's, by name; None: those known
        for this machine, unless `Options.autoschedule` is off. `given`: the plain values that
        `params` were made of. OptionError for options that the target does not support."""
        start = time.perf_counter()
        self._given = params if given is None else given
        self.model, self.params, self.options = model, params, options
        self.target = choose_target(target, options)
        self.source = ""
        self.program: Program | VmProgram | EagerProgram
        self.kernels: Mapping[str, CompiledKernel | CudaKernel] = {}
        self.schedules: Mapping[str, Schedule] = schedules or {}
        self.tune_s = 0.0
        self._compilation: Compilation | None = None
        self._last: ReadProfile | None = None
        self._backward: Differentiable | None = None  # made by the first call to `vjp`
        self._persistent: PersistentKernel | None = None
        # Loads a new program, if the weights of a loaded one cannot be replaced.
        self._load_again: Callable[[], Program] | None = None
        if os.environ.get("ACROBAT_DISABLE") == "1":
            self.program = EagerProgram(model, params)
            logger.info(_DISABLED.format(self._name))
        else:
            self._compile(looks=schedules is None and options.autoschedule)
        self.compile_s = time.perf_counter() - start
        done = self._compilation
        if done and (warning := slow_compilation(done, self._name, self.compile_s)):
            logger.warning(warning)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the model was compiled from; unpickling compiles it again, from the cache if
        that is the same one. PicklingError if the model is not at the top level of a module."""
        return _compiled_again, (self.model, self._given, self.target, self.options)

    def __copy__(self) -> CompiledModel[_I, _R]:
        """Return a copy that runs the same program and remembers its own last call."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, _: object) -> CompiledModel[_I, _R]:
        # The program holds copies of the weights, which only `reload_weights` changes.
        return self.__copy__()

    @property
    def _name(self) -> str:
        return self.model.function.__qualname__

    @property
    def is_compiled(self) -> bool:
        """Whether there is a compiled program; not with ACROBAT_DISABLE=1."""
        return self._compilation is not None

    @property
    def compilation(self) -> Compilation:
        """The results of the compiler's passes; RuntimeError if nothing is compiled."""
        if self._compilation is None:
            raise RuntimeError(_DISABLED.format(self._name))
        return self._compilation

    def _compile(self, looks: bool) -> None:
        """`looks`: whether to use the schedules known for this machine."""
        with stage(f"{self._name} compiled for {self.target}"):
            done = self._compilation = run_pipeline(
                self.model, self.params, self.options, target=self.target
            )
            if looks and self.target == "cpu":
                self.schedules = schedules_for([k for p in done.plans for k in p.kernels])
            built = build(done, self.target, self.options, self.schedules)
        self.program, self.kernels, self.source = built.program, built.kernels, built.source
        self._persistent, self._load_again = built.persistent, built.load_again

    def _with_matrices(self, results: list[Any]) -> list[Any]:
        done = self._compilation
        return all_with_matrices(results, done.module.with_matrices if done else None)

    def __call__(self, instances: Sequence[_I]) -> list[_R]:
        """Return the results in the order of the instances: separate arrays if they are small
        compared with everything computed, otherwise views into memory that lives as long as any of
        them. On a GPU they are `DeviceArray`s."""
        return self.run(self.prepare(instances))

    def prepare(self, instances: Sequence[_I]) -> Prepared:
        """Convert instances once, to `run` them several times. InstanceError if one is invalid."""
        inputs = self.program.convert(self.model.whole(instances))
        if not self.options.check_finite:
            return inputs
        return CheckedInputs(inputs.key, inputs.input_ms, inputs, self._copied(instances))

    def _copied(self, instances: Sequence[_I]) -> tuple[Any, ...]:
        """Copy the instances as they are now; for plain Python, return the caller's objects."""
        if isinstance(self.program, EagerProgram):
            return tuple(self.model.whole(instances))
        module = self.program.module
        return read_instances(self.model.whole(instances), module.arguments, module.datas).instances

    def run(self, inputs: Prepared) -> list[_R]:
        """Run prepared instances, as often as you like and from any thread. InstanceError if
        another compiled model prepared them; NotFiniteError under `Options.check_finite`."""
        check_inputs(inputs, self.program.key, self._name)
        if not isinstance(inputs, CheckedInputs):
            results, self._last = self.program.run(inputs)  # type: ignore[arg-type]
            return self._with_matrices(results)
        given = inputs.instances, self.model, self.params, self.options.stack_mb << 20
        try:
            results, self._last = self.program.run(inputs.inputs)
        except (InstanceError, ValueError, OverflowError) as error:
            # For example, `int` of a NaN is an error.
            check_decisions(at_fault(error, inputs.count), *given)
            raise
        check_results(results, *given)
        every = isinstance(self.program, EagerProgram)
        check_decisions(range(inputs.count) if every else self._last().doubtful, *given)
        return self._with_matrices(results)

    def vjp(
        self, instances: Sequence[_I], cotangents: Sequence[Any], wrt: Wrt = None
    ) -> tuple[list[_R], Any]:
        """Return the results, and the gradients of the weights that `wrt` names (None: all), for
        given gradients of the results, `cotangents`, summed over the mini-batch. A cotangent has
        the structure of its instance's result, with an array of the same shape for a tensor, and
        None where there is no gradient. The gradients are an object of the weights' class: arrays,
        `SparseRows` for a table of which only rows were read, None for weights that `wrt` leaves
        out. They are computed on the CPU; the first call compiles the code for that. GradientError
        for weights that do not exist and cotangents that do not fit, ModelError for operations
        without a derivative."""
        chosen = chosen_weights(self.params, wrt)
        if self._backward is None:
            everything, options = tuple(weights(self.params)), self.options
            if self.target == "cuda":  # its `precision` is that of tensor cores
                options = replace(options, precision="fp32")
            self._backward = Differentiable(
                self.model, self.params, everything, options, self._compilation
            )
        run = self._backward.forward(instances)
        found = run.pull_back(cotangents_of(run.results, cotangents))
        return self._with_matrices(run.results), as_params(
            self.params, {path: found[path] for path in chosen}
        )

    def reload_weights(self, params: Any = None, changed: Set[str] | None = None) -> None:
        """Read the weights again: from the arrays that the model was compiled with, which may have
        been changed in place, or from `params`, which must have the same shapes. `changed` names
        the weights whose values differ, by path; None: all. Must not be called during another call;
        on a GPU, instances must be prepared again. ParamsError if the weights do not fit."""
        plain = self._given if params is None else params
        given = replacement(self._name, self.params, plain)
        self._given, self.params = plain, given
        names = frozenset(weights(given) if changed is None else changed)
        if self._backward is not None:
            self._backward.reload(given, names)
        if self._compilation is None:
            self.program = EagerProgram(self.model, given)
            return
        folded = self._compilation.typed.folded
        self._compilation.weights = fold_weights(weights(given), folded)
        if self._load_again is not None:
            self.program = self._load_again()
        elif not isinstance(self.program, EagerProgram):
            self.program.renew(self._compilation.weights, made_of(names, folded))

    @property
    def last_profile(self) -> CallProfile:
        """What the last call did; all zero if nothing is compiled. ValueError before any call."""
        if self._last is None:
            raise ValueError("the model has not been called yet")
        return CallProfile.of(self._last(), self.compile_s, self.tune_s)

    def count_least_batches(self, inputs: Prepared) -> int:
        """A lower bound on the number of batches that prepared instances can run in: the longest
        dependence chain of every static block, summed (0 if nothing is compiled). The instances run
        once, to find their graph; `last_profile` does not show that run."""
        check_inputs(inputs, self.program.key, self._name)
        plain: Any = inputs.inputs if isinstance(inputs, CheckedInputs) else inputs
        return self.program.count_min_batches(plain)

    def trace(self, instances: Sequence[_I]) -> Trace:
        """Run a mini-batch and record for each of its nodes which instance created it and in which
        batch it ran, and for each thread what it did when.
        `fast.trace(instances).save("trace.html")` shows it. InstanceError if an instance is
        invalid; ValueError if nothing is compiled."""
        if not self.is_compiled:
            raise ValueError(_DISABLED.format(self._name) + ", so there are no batches to trace")
        program: Any = self.program
        call = program.trace(program.convert(self.model.whole(instances)))
        profile = call.profile  # without what the trace recorded
        self._last = lambda: profile
        return trace_call(self._name, self.compilation.module.blocks, call)

    def explain(self, instances: Sequence[_I] | None = None) -> str:
        """Describe which operands are shared, the static blocks, the kernels that serve them and
        where the program suspends; and, for the last call if there was one, what did not batch, and
        why.

        With `instances`, describe instead how far the batches of that mini-batch are from their
        bound, for every function and loop of the source, why, and what helps. The instances run in
        Python: about 100 us per node. InstanceError and RecursionLimitError as in a call."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        if instances is None:
            last = self._last and self._last()
            return explain(self.compilation, self.kernels, last, self.schedules)
        layout = layout_of(self.compilation, self.options, self.schedules)
        program = watched_program(layout, self.compilation.weights, self.options)
        return explain_batches(program, program.convert(self.model.whole(instances)))

    def ir(self, stage: str) -> str:
        """Return the program after a pass of the pipeline: "typed" is the output of the front end,
        "batched" the last module, "specifications" the kernels' expressions; or the generated code,
        "kernels" or "cpp". ValueError, which lists the names, if there is no such stage."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        done = self.compilation
        texts = partial(
            kernel_sources, done, self.target, self.options, self._persistent, self.schedules
        )
        return stage_text(done, stage, self.source, texts)


def _compiled_again(
    model: Model[..., Any], params: Any, target: str, options: Options
) -> CompiledModel[Any, Any]:
    """Compile an unpickled model."""
    return CompiledModel(*check_arguments(model, params), options, target, given=params)
