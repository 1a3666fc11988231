"""The kernels of a program for a GPU as C++ tables (runtime/include/acrobat/cuda/kernels.h). Their
machine code is not linked: the run-time loads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernels.specification.levels import kernel_levels

if TYPE_CHECKING:
    from .tables import TableEmitter


def emit_cuda_kernels(emit: TableEmitter) -> None:
    """A table of kernels per block."""
    for b, plan in enumerate(emit.plans):
        emit(f"static const cuda::KernelInfo kernels_{b}[] = {{")
        for q, (spec, level) in enumerate(zip(plan.kernels, kernel_levels(plan), strict=True)):
            sources = emit.sources(b, q)
            shares = "true" if spec.shares_tiles else "false"
            numbers = f"{spec.rows}, {shares}, {level}, {len(sources)}"
            emit(f"    {{{numbers}, {{{', '.join(sources)}}}}},")
        emit("};")


def emit_cuda_plans(emit: TableEmitter) -> None:
    """The kernels of every block, and the number of the first."""
    entries: list[str] = []
    first = 0
    for b, plan in enumerate(emit.plans):
        entries.append(f"{{kernels_{b}, {len(plan.kernels)}, {first}}}")
        first += len(plan.kernels)
    emit(f"const cuda::BlockKernels cuda::kPlans[] = {{{', '.join(entries)}}};")
