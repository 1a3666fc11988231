"""Compile kernels for a GPU, once: Triton is imported only for what the cache has not.

Threads do it: the passes of the compiler and ptxas, which is a process, run beside each other, and
a kernel takes half a second, so that processes, which import Triton first, would gain nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ..spec import KernelSpec, check_names
from .compile import Source, cubin
from .compiled import CudaKernel, CudaKernels, CudaVariant
from .emit import kernel_source, signature, symbol
from .packing import packed_floats
from .parts import split
from .tile import PRECISIONS, Precision, choose_tiles


def build_cuda_kernels(
    specs: Sequence[KernelSpec], arch: int, precision: Precision = "fp32"
) -> CudaKernels:
    """All variants of all kernels for compute capability `arch` (90 is sm_90), at `precision`:
    "fp32" is IEEE float32; "tf32" and "bf16" round the operands of products, in large enough
    batches, and add up in float32. No GPU is needed.

    Raises ToolchainError if Triton is needed and missing, or fails; ValueError for an unknown
    precision, an unknown epilogue instruction, and names that are not unique C identifiers."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: the choices are {', '.join(PRECISIONS)}")
    check_names(specs)
    start = time.perf_counter()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        pending = {
            spec.name: [pool.submit(cubin, s) for s in _sources(spec, arch, precision)]
            for spec in specs
        }
        built = {name: [job.result() for job in jobs] for name, jobs in pending.items()}
    kernels: dict[str, CudaKernel] = {}
    for spec in specs:
        parts = split(spec)
        tiles = choose_tiles(parts.first, len(parts.specs), precision)
        variants = tuple(
            CudaVariant(
                cubin=made.path,
                symbol=symbol(spec, tile),
                least_rows=tile.least_rows,
                tile_rows=tile.rows,
                column_blocks=len(parts.specs) * tile.blocks(parts.first),
                warps=tile.warps,
                shared=made.shared,
            )
            for tile, made in zip(tiles, built[spec.name], strict=True)
        )
        kernels[spec.name] = CudaKernel(spec.name, variants, *packed_floats(parts))
    cached = all(made.hit for found in built.values() for made in found)
    return CudaKernels(arch, kernels, 0.0 if cached else time.perf_counter() - start)


def _sources(spec: KernelSpec, arch: int, precision: Precision) -> list[Source]:
    parts = split(spec)
    return [
        Source(
            text=kernel_source(spec, parts, tile, precision),
            symbol=symbol(spec, tile),
            signature=signature(spec),
            warps=tile.warps,
            arch=arch,
        )
        for tile in choose_tiles(parts.first, len(parts.specs), precision)
    ]
