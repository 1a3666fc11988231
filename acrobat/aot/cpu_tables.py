"""The kernels of a program for the CPU as C++ tables (runtime/include/acrobat/cpu/kernels.h)."""

from __future__ import annotations

from collections.abc import Mapping

from ..kernels.printers.calling_convention import CompiledKernel
from ..layout import KernelLayout, Layout
from .literals import boolean
from .sources import source_list
from .writer import Writer


def cpu_kernel_tables(
    write: Writer, layout: Layout, compiled: Mapping[str, CompiledKernel]
) -> None:
    """The kernels' symbols, and a table of kernels per block."""
    write('extern "C" {')
    used = {c.name: c for c in (compiled[k.spec.name] for k in layout.kernels)}
    for _, kernel in sorted(used.items()):
        for r in kernel.tiles:
            symbol = kernel.symbol(r)
            write(f"int {symbol}(void*, const PackedArg*, int32_t, PackedArg*);")
    write("}")
    write()
    for b, block in enumerate(layout.blocks):
        write(f"static const KernelInfo kernels_{b}[] = {{")
        for k in block.kernels:
            write(f"    {_kernel(k, compiled[k.spec.name])},")
        write("};")


def _kernel(kernel: KernelLayout, compiled: CompiledKernel) -> str:
    """The initialiser of a `KernelInfo`."""
    spec, number = kernel.spec, kernel.number
    variants = [
        compiled.symbol(r) if r in compiled.tiles else "nullptr"
        for r in range(max(compiled.tiles) + 1)
    ]
    elements = spec.rows * spec.width * max(1, len(spec.epilogue) // 2)
    return (
        f"{{{{{', '.join(variants)}}}, {compiled.usual}, {boolean(spec.shares_tiles)}, "
        f"{compiled.column_blocks}, {spec.rows}, {compiled.rows_at_once}, {spec.flops}, "
        f"{elements}, {2 * number}, {2 * number + 1}, {source_list(kernel.sources)}}}"
    )


def cpu_plan_table(write: Writer, layout: Layout) -> None:
    """The kernels of every block."""
    entries = ", ".join(f"{{kernels_{b}, {len(p.kernels)}}}" for b, p in enumerate(layout.blocks))
    write(f"const BlockKernels kPlans[] = {{{entries}}};")
