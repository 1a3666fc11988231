"""The kernels of a program for a GPU as C++ tables (runtime/include/acrobat/cuda/kernels.h). Their
machine code is not linked: the runtime loads it."""

from __future__ import annotations

from ..kernels.specification.levels import kernel_levels
from ..layout import Layout
from .literals import boolean
from .sources import source_list
from .writer import Writer


def cuda_kernel_tables(write: Writer, layout: Layout) -> None:
    """A table of kernels per block."""
    for b, block in enumerate(layout.blocks):
        write(f"static const cuda::KernelInfo kernels_{b}[] = {{")
        for kernel, level in zip(block.kernels, kernel_levels(block.plan), strict=True):
            spec = kernel.spec
            numbers = f"{spec.rows}, {boolean(spec.shares_tiles)}, {level}"
            write(f"    {{{numbers}, {source_list(kernel.sources)}}},")
        write("};")


def cuda_plan_table(write: Writer, layout: Layout) -> None:
    """The kernels of every block, and the number of the first."""
    entries: list[str] = []
    first = 0
    for b, block in enumerate(layout.blocks):
        entries.append(f"{{kernels_{b}, {len(block.kernels)}, {first}}}")
        first += len(block.kernels)
    write(f"const cuda::BlockKernels cuda::kPlans[] = {{{', '.join(entries)}}};")
