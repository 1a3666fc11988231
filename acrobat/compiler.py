"""`ab.compile`: a model function and its weights become a function over mini-batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Generic, TypeVar, TypeVarTuple, overload

from .arguments import check_arguments, checked_options
from .build import build, kernel_sources, layout_of
from .driver.run import Compilation
from .driver.slow import slow_compilation
from .eager import EagerProgram
from .errors import ParamsError
from .explain.distance import explain_batches, watched_program
from .explain.report import explain
from .finite.check import check_results
from .finite.inputs import CheckedInputs
from .kernels.printers.calling_convention import CompiledKernel
from .kernels.printers.cpu.schedule import Schedule
from .kernels.printers.cuda.compiled import CudaKernel, PersistentKernel
from .kernels.schedules import schedules_for
from .lang.model import Model
from .lang.params import check_class, weights
from .log import logger, stage
from .options import Options
from .pipeline import run_pipeline
from .runtime.object_inputs import ObjectInputs
from .runtime.prepared import check_inputs
from .runtime.profile import CallProfile, Profile
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

_W = TypeVar("_W", contravariant=True)  # weights
_I = TypeVar("_I")  # an instance
_Is = TypeVarTuple("_Is")  # the parts of an instance of several
_R = TypeVar("_R")  # a result

_DISABLED = (
    "nothing is compiled, because ACROBAT_DISABLE=1 is set: every call runs {} as plain Python, "
    "one instance after the other"
)

# Instances in the form that a program runs.
Prepared = Inputs | ObjectInputs | CheckedInputs


class CompiledModel(Generic[_I, _R]):
    """A compiled model: call it with a list of instances to get the list of their results.

    With ACROBAT_DISABLE=1 in the environment (`is_compiled` is False) it runs the model as plain
    Python, one instance after the other. Everything else still works, as far as it has anything to
    report: check first whether a bug also shows here."""

    def __init__(
        self,
        model: Model[..., Any],
        params: Any,
        options: Options,
        target: str = "cpu",
        schedules: Mapping[str, Schedule] | None = None,
    ) -> None:
        """`schedules`: schedules to use in place of the rule's, by kernel name; None: those that
        are known for this machine, unless `Options.autoschedule` is off."""
        start = time.perf_counter()
        self.model, self.params, self.options, self.target = model, params, options, target
        self.source = ""
        self.program: Program | VmProgram | EagerProgram
        self.kernels: Mapping[str, CompiledKernel | CudaKernel] = {}
        self.schedules: Mapping[str, Schedule] = schedules or {}
        self.tune_s = 0.0
        self._compilation: Compilation | None = None
        self._last: Profile | None = None
        self._backward: Differentiable | None = None  # made by the first call of `vjp`
        self._persistent: PersistentKernel | None = None
        # Where a program cannot take other weights, another one is loaded.
        self._load_again: Callable[[], Program] | None = None
        if os.environ.get("ACROBAT_DISABLE") == "1":
            self.program = EagerProgram(model, params)
            logger.info(_DISABLED.format(self._name))
        else:
            self._compile(looks=schedules is None and options.autoschedule)
        self.compile_s = time.perf_counter() - start
        if self._compilation is not None:
            warning = slow_compilation(self._compilation, self._name, self.compile_s)
            if warning:
                logger.warning(warning)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the model, weights, target and options; unpickling compiles again, or finds the
        program in the cache. PicklingError if the model is not at the top level of a module."""
        return compile, (self.model, self.params, self.target, self.options)

    def __copy__(self) -> CompiledModel[_I, _R]:
        """A copy that runs the same program and remembers its own last call."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, _: object) -> CompiledModel[_I, _R]:
        # The program holds copies of the weights that nothing changes.
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
        """`looks`: whether to look up the schedules that are known for this machine."""
        with stage(f"{self._name} compiled for {self.target}"):
            done = self._compilation = run_pipeline(self.model, self.params, self.options)
            if looks and self.target == "cpu":
                self.schedules = schedules_for([k for p in done.plans for k in p.kernels])
            built = build(done, self.target, self.options, self.schedules)
        self.program, self.kernels, self.source = built.program, built.kernels, built.source
        self._persistent, self._load_again = built.persistent, built.load_again

    def __call__(self, instances: Sequence[_I]) -> list[_R]:
        """Results in the order of the instances: separate arrays if they are small compared with
        everything that was computed, else views into memory that lives as long as any of them. On a
        GPU they are `DeviceArray`s. InstanceError if an instance is wrong."""
        return self.run(self.prepare(instances))

    def prepare(self, instances: Sequence[_I]) -> Prepared:
        """Convert instances once, to `run` them several times. InstanceError if one is wrong."""
        inputs = self.program.convert(instances)
        if not self.options.check_finite:
            return inputs
        return CheckedInputs(inputs.key, inputs.input_ms, inputs, self._copied(instances))

    def _copied(self, instances: Sequence[_I]) -> tuple[Any, ...]:
        """A snapshot of the instances; plain Python works on the caller's own objects."""
        if isinstance(self.program, EagerProgram):
            return tuple(instances)
        module = self.program.module
        return read_instances(instances, module.arguments, module.datas).instances

    def run(self, inputs: Prepared) -> list[_R]:
        """Run prepared instances, as often as you like and from any thread. InstanceError if
        another compiled model prepared them; NotFiniteError under `Options.check_finite`."""
        check_inputs(inputs, self.program.key, self._name)
        if not isinstance(inputs, CheckedInputs):
            results, self._last = self.program.run(inputs)  # type: ignore[arg-type]
            return results
        results, self._last = self.program.run(inputs.inputs)
        check_results(
            results, inputs.instances, self.model, self.params, self.options.stack_mb << 20
        )
        return results

    def vjp(
        self, instances: Sequence[_I], cotangents: Sequence[Any], wrt: Wrt = None
    ) -> tuple[list[_R], Any]:
        """A vector-Jacobian product: the results, and the gradients of the weights that `wrt` names
        (None: all), summed over the mini-batch, for `cotangents`, the gradients of the results. A
        cotangent has the structure of its instance's result, with an array of the same shape for a
        tensor, and None where there is no gradient. The gradients are an object of the weights'
        class: arrays, `SparseRows` for a table that was only read by row, None for weights that
        `wrt` leaves out. They are computed on the CPU; the first call compiles the backward pass.
        GradientError for weights that do not exist and cotangents that do not fit, ModelError for
        operations without a derivative."""
        chosen = chosen_weights(self.params, wrt)
        if self._backward is None:
            everything = tuple(weights(self.params))
            self._backward = Differentiable(
                self.model, self.params, everything, self.options, self._compilation
            )
        run = self._backward.forward(instances)
        found = run.pull_back(cotangents_of(run.results, cotangents))
        return run.results, as_params(self.params, {path: found[path] for path in chosen})

    def reload_weights(self, params: Any = None, changed: Set[str] | None = None) -> None:
        """Copy the current values of the weights: of the arrays that the model was compiled with,
        which may have been changed in place, or of `params`, which must have the same shapes.
        `changed` names the weights that have changed, by path; None: all. Do not call it while a
        call is running; on a GPU instances have to be prepared again. ParamsError if the weights do
        not fit."""
        given = self.params if params is None else params
        check_class(self._name, type(self.params), type(given))
        before, after = weights(self.params), weights(given)
        for path in [*before, *after]:
            was, now = (list(w[path].shape) if path in w else "none" for w in (before, after))
            if was != now:
                raise ParamsError(f"{path}: compiled with a weight of shape {was}, got {now}")
        self.params = given
        names = frozenset(before) if changed is None else frozenset(changed)
        if self._backward is not None:
            self._backward.reload(given, names)
        if self._compilation is None:
            self.program = EagerProgram(self.model, given)
            return
        folded = self._compilation.typed.folded
        self._compilation.weights = fold_weights(after, folded)
        if self._load_again is not None:
            self.program = self._load_again()
        elif not isinstance(self.program, EagerProgram):
            self.program.renew(self._compilation.weights, made_of(names, folded))

    @property
    def last_profile(self) -> CallProfile:
        """What the last call did; all zero if nothing is compiled. ValueError before any call."""
        if self._last is None:
            raise ValueError("the model has not been called yet")
        return CallProfile.of(self._last, self.compile_s, self.tune_s)

    def count_least_batches(self, inputs: Prepared) -> int:
        """A lower bound on the number of batches that prepared instances can run in: the longest
        dependence chain of every static block, summed (0 if nothing is compiled). It runs them once
        to obtain their graph; `last_profile` does not include that run."""
        check_inputs(inputs, self.program.key, self._name)
        plain: Any = inputs.inputs if isinstance(inputs, CheckedInputs) else inputs
        return self.program.count_min_batches(plain)

    def trace(self, instances: Sequence[_I]) -> Trace:
        """Run a mini-batch and trace each of its nodes: which instance recorded it, in which batch
        it ran, and what each thread did when. `fast.trace(instances).save("trace.html")` shows it.
        InstanceError if an instance is wrong; ValueError if nothing is compiled."""
        if not self.is_compiled:
            raise ValueError(_DISABLED.format(self._name) + ", so there are no batches to trace")
        program: Any = self.program
        call = program.trace(program.convert(instances))
        self._last = call.profile
        return trace_call(self._name, self.compilation.module.blocks, call)

    def explain(self, instances: Sequence[_I] | None = None) -> str:
        """What is shared, what the static blocks are, which kernels compute them, where the program
        suspends; and for the last call, if there was one, what did not batch, and why.

        With `instances`, instead: how far the batches of that mini-batch are from their bound, for
        every function and loop of the source, why, and what helps. This runs the instances in
        Python, at some 100 us per node. InstanceError as in a call; RecursionLimitError if one is
        nested too deeply for Python."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        if instances is None:
            return explain(self.compilation, self.kernels, self._last, self.schedules)
        layout = layout_of(self.compilation, self.options, self.schedules)
        program = watched_program(layout, self.compilation.weights, self.options)
        return explain_batches(program, program.convert(instances))

    def ir(self, stage: str) -> str:
        """The program as a pass of the pipeline left it: "typed" is what the front end made,
        "batched" the last module, "specifications" are the kernels' expressions; or the generated
        code, "kernels" or "cpp". ValueError if there is no such stage; it lists the names."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        done = self.compilation
        texts = partial(
            kernel_sources, done, self.target, self.options, self._persistent, self.schedules
        )
        return stage_text(done, stage, self.source, texts)


@overload
def compile(
    model: Callable[[_W, _I], _R],
    params: _W,
    target: str = "auto",
    options: Options | None = None,
) -> CompiledModel[_I, _R]: ...


@overload
def compile(
    model: Callable[[_W, *_Is], _R],
    params: _W,
    target: str = "auto",
    options: Options | None = None,
) -> CompiledModel[tuple[*_Is], _R]: ...


def compile(
    model: Callable[..., Any],
    params: Any,
    target: str = "auto",
    options: Options | None = None,
) -> CompiledModel[Any, Any]:
    """Compile `model` with the weights `params` into a function over mini-batches, for the CPU
    ("cpu"), for the first GPU that CUDA_VISIBLE_DEVICES shows ("cuda"), or for that GPU if it is
    usable and else the CPU ("auto").

    Raises ModelError if the model is not in the language, OptionError for a target that does not
    exist or options that it does not have, ToolchainError if a compiler is missing, DeviceError if
    there is no GPU, ParamsError for weights of another class than the model's, CapacityError if
    they do not fit on the GPU. With ACROBAT_DISABLE=1 in the environment nothing is compiled and
    every call runs as plain Python.
    """
    options = checked_options(options)
    target = choose_target(target, options)
    model = check_arguments(model, params)
    return CompiledModel(model, params, options, target)
