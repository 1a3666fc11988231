"""From the last module of a pipeline to an executable program: kernels, control flow, and their
binding to the weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from .aot.build import CUDA_RUNTIME, ProgramBuild, RuntimeBuild, build_program
from .aot.program import emit_program
from .cache import rebuild_damaged
from .driver.failure import naming
from .driver.run import Compilation
from .kernels.printers.calling_convention import CompiledKernel
from .kernels.printers.cpu.build import KernelBuild
from .kernels.printers.cpu.schedule import Schedule
from .kernels.printers.cuda.compiled import CudaKernel, CudaKernels, PersistentKernel
from .kernels.printers.kernel_texts import kernel_texts
from .layout import Layout, make_layout
from .options import Options
from .runtime.gpu import find_gpu
from .runtime.program import Program
from .vm.program import VmProgram

Schedules = Mapping[str, Schedule]


@dataclass(frozen=True, slots=True)
class Built:
    """A program, and what it was built from. `source`: its C++, empty if its control flow is
    interpreted. `kernels`: by name. `persistent`: the kernel that runs all others on a GPU, if it
    was requested. `load_again`: loads a new program, if the weights of this one cannot be replaced.
    """

    program: Program | VmProgram
    kernels: Mapping[str, CompiledKernel | CudaKernel] = field(default_factory=dict)
    source: str = ""
    persistent: PersistentKernel | None = None
    load_again: Callable[[], Program] | None = None


def build(done: Compilation, target: str, options: Options, schedules: Schedules) -> Built:
    """Build the program of a compilation for `target` ("cpu" or "cuda"), from the cache as far as
    possible; store the seconds that kernels and g++ took in `done`. `schedules`: those of the
    kernels that do not use the rule's, by name. ToolchainError if a compiler is missing,
    DeviceError if there is no GPU, CapacityError if the weights do not fit on it."""
    if target == "cuda":
        return rebuild_damaged(partial(_for_gpu, done, options))
    if options.executor == "vm":
        layout = layout_of(done, options, schedules)
        with naming("kernels", "code generation"):
            program = VmProgram(layout, done.weights, options)
        return Built(program, program.kernels.compiled)
    return rebuild_damaged(partial(_for_cpu, done, options, schedules))


def layout_of(done: Compilation, options: Options, schedules: Schedules) -> Layout:
    """Make the layout that generated code, binding and interpreter agree on."""
    with naming("layout", "code generation"):
        return make_layout(done.module, done.plans, options, schedules)


def kernel_sources(
    done: Compilation,
    target: str,
    options: Options,
    persistent: PersistentKernel | None,
    schedules: Schedules,
) -> str:
    """Return the source of every kernel in its version for the largest batches; or that of the
    persistent kernel, which has all versions."""
    if persistent is not None:
        return persistent.text
    specs = [k for p in done.plans for k in p.kernels]
    return kernel_texts(specs, target, options.precision, schedules)


def _for_cpu(done: Compilation, options: Options, schedules: Schedules) -> Built:
    runtime, layout = RuntimeBuild(), layout_of(done, options, schedules)
    with naming("kernels", "code generation"):
        kernels = KernelBuild([k for p in done.plans for k in p.kernels], schedules=schedules)
    source = _generated(done, layout, kernels.described, options)
    # g++ and TVM run at the same time, on one core each.
    part, start = ProgramBuild(source, runtime, ahead=not kernels.cached), time.perf_counter()
    with naming("kernels", "code generation"):
        built = kernels.objects()
    done.kernel_s = built.seconds
    if done.dump is not None:
        done.write("kernels", kernel_sources(done, "cpu", options, None, schedules), start)
    library, done.program_s = part.link(built.paths)
    program = Program(library, layout, done.weights, options)
    return Built(program, built.kernels, source)


def _for_gpu(done: Compilation, options: Options) -> Built:
    from .kernels.printers.cuda.build import build_cuda_kernels
    from .runtime.cuda_program import CudaProgram

    gpu, runtime = find_gpu(), RuntimeBuild(CUDA_RUNTIME)
    specs, layout = [k for p in done.plans for k in p.kernels], layout_of(done, options, {})
    start = time.perf_counter()
    with naming("kernels", "code generation"):
        persistent = options.gpu_mode == "persistent"
        built = build_cuda_kernels(specs, gpu.arch, options.precision, persistent, gpu.processors)
    if done.dump is not None:
        done.write("kernels", kernel_sources(done, "cuda", options, built.persistent, {}), start)
    source = _generated(done, layout, built, options)
    library, done.program_s = build_program(source, (), runtime)
    load = partial(CudaProgram, library, layout, done.weights, options, built, gpu)
    return Built(load(), built.kernels, source, built.persistent, load)


def _generated(
    done: Compilation,
    layout: Layout,
    kernels: Mapping[str, CompiledKernel] | CudaKernels,
    options: Options,
) -> str:
    """Generate the C++. A failure is reported like that of a pass; the source is dumped if the
    environment requests it."""
    start = time.perf_counter()
    with naming("cpp", "code generation"):
        source = emit_program(layout, kernels, options)
    done.write("cpp", source, start, ".cc")
    return source
