"""Compile kernels for a GPU, once: Triton is imported only for kernels that are not in the cache.

Threads do the work: compiler passes and ptxas, which is a separate process, run concurrently. A
kernel takes half a second, so that worker processes, which must import Triton first, would gain
nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from ....background import each
from ...specification.spec import KernelSpec, check_names
from .compile import Cubin, Source, cubin, triton_cache
from .compiled import CudaKernel, CudaKernels, CudaVariant, PersistentKernel
from .emit import ALIGNED, EARLY_ARCH, kernel_source, signature, symbol
from .packing import packed_floats
from .parts import split
from .persistent_kernel import SIGNATURE, SYMBOL, PersistentSource, write_persistent_kernel
from .tile import PERSISTENT_WARPS, PRECISIONS, Precision
from .tile_choice import choose_tiles
from .waves import H100, Multiprocessors, multiprocessors


def build_cuda_kernels(
    specs: Sequence[KernelSpec],
    arch: int,
    precision: Precision = "fp32",
    persistent: bool = False,
    processors: int | None = None,
) -> CudaKernels:
    """All variants of all kernels for compute capability `arch` (90 is sm_90), at `precision`:
    "fp32" is IEEE float32; "tf32" and "bf16" round the operands of products, in large enough
    batches, and add up in float32. `persistent`: all in one kernel, which runs a whole schedule.
    `processors`: the number of the GPU's multiprocessors, by default an H100's; it decides which
    variant is for how many rows, not what is compiled. No GPU is needed.

    Raises ToolchainError if Triton is needed and missing, or fails; ValueError for an unknown
    precision, an unknown epilogue instruction, and names that are not unique C identifiers."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: the choices are {', '.join(PRECISIONS)}")
    check_names(specs)
    start = time.perf_counter()
    with triton_cache():
        build = _in_one if persistent else _one_by_one
        made, kernels, whole = build(specs, arch, precision, multiprocessors(arch, processors))
    cached = all(m.hit for m in made)
    return CudaKernels(arch, kernels, 0.0 if cached else time.perf_counter() - start, whole)


Built = tuple[list[Cubin], dict[str, CudaKernel], PersistentKernel | None]


def _one_by_one(
    specs: Sequence[KernelSpec], arch: int, precision: Precision, gpu: Multiprocessors
) -> Built:
    wanted = [(spec.name, source) for spec in specs for source in sources(spec, arch, precision)]
    cubins = each(cubin, [source for _, source in wanted], len(os.sched_getaffinity(0)))
    built: dict[str, list[Cubin]] = {spec.name: [] for spec in specs}
    for (name, _), made in zip(wanted, cubins, strict=True):
        built[name].append(made)
    kernels = {
        spec.name: _kernel(
            spec, precision, None, [(made.path, made.shared, 0) for made in built[spec.name]], gpu
        )
        for spec in specs
    }
    return [m for found in built.values() for m in found], kernels, None


def _in_one(
    specs: Sequence[KernelSpec], arch: int, precision: Precision, gpu: Multiprocessors
) -> Built:
    source = write_persistent_kernel(specs, precision, arch)
    made = cubin(source_of_persistent(source, arch))
    kernels = kernels_of_persistent(specs, precision, source, made.path, made.shared, gpu)
    whole = PersistentKernel(made.path, SYMBOL, PERSISTENT_WARPS, made.shared, source.text)
    return [made], kernels, whole


def source_of_persistent(source: PersistentSource, arch: int) -> Source:
    """The compiler's input for a persistent kernel."""
    return Source(
        text=source.text,
        symbol=SYMBOL,
        signature=SIGNATURE,
        warps=PERSISTENT_WARPS,
        arch=arch,
        aligned=("table",),
    )


def kernels_of_persistent(
    specs: Sequence[KernelSpec],
    precision: Precision,
    source: PersistentSource,
    cubin: Path,
    shared: int,
    gpu: Multiprocessors = H100,
) -> dict[str, CudaKernel]:
    """The kernels in a persistent kernel with machine code `cubin` and `shared` bytes of shared
    memory."""
    return {
        spec.name: _kernel(
            spec,
            precision,
            PERSISTENT_WARPS,
            [(cubin, shared, kind) for kind in source.kinds[spec.name]],
            gpu,
        )
        for spec in specs
    }


def _kernel(
    spec: KernelSpec,
    precision: Precision,
    warps: int | None,
    made: Sequence[tuple[Path, int, int]],
    gpu: Multiprocessors,
) -> CudaKernel:
    """A kernel whose variants are `made`: machine code, shared memory, kind."""
    parts = split(spec)
    tiles = choose_tiles(parts.first, len(parts.specs), precision, warps, gpu)
    variants = tuple(
        CudaVariant(
            cubin=path,
            symbol=symbol(spec, tile),
            least_rows=tile.least_rows,
            tile_rows=tile.rows,
            column_blocks=len(parts.specs) * tile.blocks(parts.first),
            warps=tile.warps,
            shared=shared,
            kind=kind,
        )
        for tile, (path, shared, kind) in zip(tiles, made, strict=True)
    )
    return CudaKernel(spec.name, variants, *packed_floats(parts))


def sources(spec: KernelSpec, arch: int, precision: Precision) -> list[Source]:
    """The compiler's inputs for a kernel that is launched by itself: one for each variant."""
    parts = split(spec)
    return [
        Source(
            text=kernel_source(spec, parts, tile, precision, early=arch >= EARLY_ARCH),
            symbol=symbol(spec, tile),
            signature=signature(spec),
            warps=tile.warps,
            arch=arch,
            aligned=ALIGNED,
        )
        for tile in choose_tiles(parts.first, len(parts.specs), precision)
    ]
