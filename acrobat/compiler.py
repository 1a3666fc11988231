"""`ab.compile`: a model function and its weights become a function over mini-batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, TypeVarTuple, overload

from .aot.build import CUDA_RUNTIME, RuntimeBuild, build_program
from .aot.program import emit_program
from .cache import rebuild_damaged
from .driver.failure import naming
from .driver.run import Compilation
from .driver.slow import slow_compilation
from .eager import EagerProgram
from .errors import OptionError
from .explain import explain
from .finite.check import check_results
from .finite.inputs import CheckedInputs
from .kernels.printers.calling_convention import CompiledKernel
from .kernels.printers.cpu.build import build_kernels
from .kernels.printers.cuda.compiled import CudaKernel, PersistentKernel
from .lang.model import Model
from .lang.params import check_class, is_params
from .layout import Layout, make_layout
from .log import logger, stage
from .options import Options
from .pipeline import PIPELINE, run_pipeline
from .runtime.gpu import find_gpu
from .runtime.object_inputs import ObjectInputs
from .runtime.prepared import check_inputs
from .runtime.profile import Profile
from .runtime.program import Inputs, Program
from .runtime.read_instances import read_instances
from .targets import choose_target
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


@dataclass(frozen=True, slots=True)
class CallProfile(Profile):
    """The profile of a call, with what compiling took: `compile_s` seconds in all (near zero when
    everything was in the cache), of which none was tuning (`tune_s`)."""

    compile_s: float
    tune_s: float


class CompiledModel(Generic[_I, _R]):
    """A compiled model: call it with a list of instances to get the list of their results.

    With ACROBAT_DISABLE=1 in the environment (`is_compiled` is False) it runs the model as plain
    Python, one instance after the other. Everything else answers as before, as far as there is
    something to say: the first question of any bug report is whether it shows here too."""

    def __init__(
        self, model: Model[..., Any], params: Any, options: Options, target: str = "cpu"
    ) -> None:
        start = time.perf_counter()
        self.model, self.params, self.options, self.target = model, params, options, target
        self.source = ""
        self.program: Program | VmProgram | EagerProgram
        self.kernels: Mapping[str, CompiledKernel | CudaKernel] = {}
        self.persistent: PersistentKernel | None = None
        self._compilation: Compilation | None = None
        self._last: Profile | None = None
        if os.environ.get("ACROBAT_DISABLE") == "1":
            self.program = EagerProgram(model, params)
            logger.info(_DISABLED.format(self._name))
        else:
            self._compile()
        self.compile_s = time.perf_counter() - start
        if self._compilation is not None:
            warning = slow_compilation(self._compilation, self._name, self.compile_s)
            if warning:
                logger.warning(warning)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was compiled from, and compiled again where it is loaded: from the
        cache, if that is the same one. PicklingError if the model is not at the top level of a
        module."""
        return compile, (self.model, self.params, self.target, self.options)

    def __copy__(self) -> CompiledModel[_I, _R]:
        """Another one, which runs the same program and remembers its own last call."""
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
        """What the compiler's passes made; RuntimeError if nothing is compiled."""
        if self._compilation is None:
            raise RuntimeError(_DISABLED.format(self._name))
        return self._compilation

    def _compile(self) -> None:
        with stage(f"{self._name} compiled for {self.target}"):
            self._compilation = run_pipeline(self.model, self.params, self.options)
            if self.target == "cuda":
                rebuild_damaged(self._build_cuda)
            elif self.options.executor == "vm":
                self._build_vm()
            else:
                rebuild_damaged(self._build_cpu)

    def _layout(self) -> Layout:
        """What generated code, binding and interpreter agree on."""
        done = self.compilation
        with naming("layout", "code generation"):
            return make_layout(done.module, done.plans, self.options)

    def _build_cpu(self) -> None:
        done, runtime, layout = self.compilation, RuntimeBuild(), self._layout()
        start = time.perf_counter()
        with naming("kernels", "code generation"):
            built = build_kernels([k for p in done.plans for k in p.kernels])
        self.kernels, done.kernel_s = built.kernels, built.seconds
        self._dump_kernels(start)
        with self._generating("cpp"):
            self.source = emit_program(layout, built, self.options)
        library, done.program_s = build_program(self.source, built.paths, runtime)
        self.program = Program(library, layout, done.weights, self.options)

    def _build_cuda(self) -> None:
        from .kernels.printers.cuda.build import build_cuda_kernels
        from .runtime.cuda_program import CudaProgram

        done, gpu = self.compilation, find_gpu()
        runtime = RuntimeBuild(CUDA_RUNTIME)
        specs, layout = [k for p in done.plans for k in p.kernels], self._layout()
        start = time.perf_counter()
        with naming("kernels", "code generation"):
            built = build_cuda_kernels(
                specs, gpu.arch, self.options.precision, self.options.gpu_mode == "persistent"
            )
        self.kernels, self.persistent = built.kernels, built.persistent
        self._dump_kernels(start)
        with self._generating("cpp"):
            self.source = emit_program(layout, built, self.options)
        library, done.program_s = build_program(self.source, (), runtime)
        self.program = CudaProgram(library, layout, done.weights, self.options, built, gpu)

    def _build_vm(self) -> None:
        done = self.compilation
        program = VmProgram(self._layout(), done.weights, self.options)
        self.program, self.kernels = program, program.kernels.compiled

    @contextmanager
    def _generating(self, name: str) -> Iterator[None]:
        """Around the generation of `self.source`: failures are named as those of a pass are, and
        the source is dumped if the environment asks for it."""
        start = time.perf_counter()
        with naming(name, "code generation"):
            yield
        self.compilation.write(name, self.source, start, ".cc")

    def _dump_kernels(self, start: float) -> None:
        if self.compilation.dump is not None:
            self.compilation.write("kernels", self._kernel_sources(), start)

    def __call__(self, instances: Sequence[_I]) -> list[_R]:
        """Results in the order of the instances: arrays of their own if they are small beside what
        was computed, else views into memory that lives as long as one of them does. On a GPU they
        are `DeviceArray`s."""
        return self.run(self.prepare(instances))

    def prepare(self, instances: Sequence[_I]) -> Prepared:
        """Convert instances once, to `run` them several times. InstanceError if one is wrong."""
        inputs = self.program.convert(instances)
        if not self.options.check_finite:
            return inputs
        return CheckedInputs(inputs.key, inputs.input_ms, inputs, self._copied(instances))

    def _copied(self, instances: Sequence[_I]) -> tuple[Any, ...]:
        """The instances as they are now; as plain Python has them, they stay the caller's."""
        if isinstance(self.program, EagerProgram):
            return tuple(instances)
        module = self.program.module
        return read_instances(instances, module.instance, module.datas).instances

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

    @property
    def last_profile(self) -> CallProfile:
        """What the last call did; all zero if nothing is compiled. ValueError before any call."""
        if self._last is None:
            raise ValueError("the model has not been called yet")
        values = {f.name: getattr(self._last, f.name) for f in fields(Profile)}
        return CallProfile(**values, compile_s=self.compile_s, tune_s=0.0)

    def count_least_batches(self, inputs: Prepared) -> int:
        """A lower bound on the number of batches that prepared instances can run in: the longest
        dependence chain of every static block, summed (0 if nothing is compiled). It runs them
        once to know their graph, which `last_profile` does not show."""
        check_inputs(inputs, self.program.key, self._name)
        plain: Any = inputs.inputs if isinstance(inputs, CheckedInputs) else inputs
        return self.program.count_min_batches(plain)

    def explain(self) -> str:
        """What is shared, what the static blocks are, which kernels serve them, where the program
        suspends; and of the last call, if there was one, what did not batch, and why."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        return explain(self.compilation, self.kernels, self._last)

    def ir(self, stage: str) -> str:
        """The program as a pass of the pipeline left it: "typed" is what the front end made,
        "batched" the last module, "specifications" are the kernels' expressions; or the generated
        code, "kernels" or "cpp". ValueError if there is no such stage; it lists the names."""
        if not self.is_compiled:
            return _DISABLED.format(self._name) + "\n"
        done = self.compilation
        if stage in done.stages:
            return done.text(stage)
        if stage == "cpp":
            if not self.source:
                raise ValueError("there is no C++: the control flow is interpreted (executor='vm')")
            return self.source
        if stage == "kernels":
            return self._kernel_sources()
        if any(stage == p.name for s in PIPELINE for p in s.passes):
            raise ValueError(f"the pass {stage!r} does not run with these options")
        raise ValueError(
            f"there is no stage {stage!r}; the stages are "
            f"{', '.join([*done.stages, 'kernels', 'cpp'])}"
        )

    def _kernel_sources(self) -> str:
        """Of every kernel the version for the largest batches; or the persistent kernel, which has
        all versions."""
        if self.persistent is not None:
            return self.persistent.text
        specs = [k for p in self.compilation.plans for k in p.kernels]
        if self.target == "cuda":
            from .kernels.printers.cuda import emit as triton
            from .kernels.printers.cuda.parts import split
            from .kernels.printers.cuda.tile import choose_tiles

            precision, texts = self.options.precision, []
            for parts, spec in ((split(s), s) for s in specs):
                tile = choose_tiles(parts.first, len(parts.specs), precision)[-1]
                texts.append(triton.kernel_source(spec, parts, tile, precision))
            return "\n".join(texts)
        from .kernels.printers.cpu.emit import kernel_source
        from .kernels.printers.cpu.target import host_target
        from .kernels.printers.cpu.template import choose_template

        return "\n".join(
            kernel_source(s, t := choose_template(s, host_target()), t.tiles[-1]) for s in specs
        )


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
    """Compile `model` with the weights `params` into a function over mini-batches, on the CPU
    ("cpu"), on the first GPU that CUDA_VISIBLE_DEVICES shows ("cuda"), or there if it can be
    ("auto").

    Raises ModelError if the model is not in the language, OptionError for a target that does not
    exist or options that it does not have, ToolchainError if a compiler is missing, DeviceError if
    there is no GPU, ParamsError for weights of another class than the model's, CapacityError if
    they do not fit on it. With ACROBAT_DISABLE=1 in the environment nothing is compiled and every
    call runs as plain Python.
    """
    if options is None:
        options = Options()
    if not isinstance(options, Options):
        raise OptionError(
            f"options: expected an ab.Options, got {type(options).__name__}; write "
            f"options=ab.Options(...)"
        )
    target = choose_target(target, options)
    if not is_params(type(params)):
        raise OptionError(
            f"params: expected an instance of an @ab.params class, got {type(params).__name__}"
        )
    if not isinstance(model, Model):
        raise OptionError(f"model: expected a function decorated with @ab.model, got {model!r}")
    check_class(model.function.__qualname__, model.params_class(), type(params))
    return CompiledModel(model, params, options, target)
