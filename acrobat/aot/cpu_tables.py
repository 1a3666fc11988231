"""The kernels of a program for the CPU as C++ tables (runtime/include/acrobat/cpu/kernels.h)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.specification.weight_types import WEIGHT_BYTES
from ..layout import KernelLayout, Layout
from .literals import boolean
from .sources import source_list
from .writer import Writer

# How many multiply-adds the matrix unit does in the time of one in float32. Measured on the cell of
# a TreeLSTM with 64 rows: 3.3 for hidden size 256, 2.7 for hidden size 128.
_RATE_OF_TILES = 3


def cpu_kernel_tables(
    write: Writer, layout: Layout, compiled: Mapping[str, CompiledKernel]
) -> None:
    """Declarations of the kernels, and a table of kernels per block."""
    write('extern "C" {')
    used = {c.name: c for c in (compiled[k.spec.name] for k in layout.kernels)}
    for _, kernel in sorted(used.items()):
        for r in kernel.tiles:
            symbol = kernel.symbol(r)
            write(f"int {symbol}(void*, const PackedArg*, int32_t, PackedArg*);")
    write("}")
    write()
    # The numbers after those of the tables are for packed copies, by kernel (`Config.tables`).
    tables = itertools.count(len(layout.tables))
    for b, block in enumerate(layout.blocks):
        lines = []
        for k in block.kernels:
            kernel, chosen = compiled[k.spec.name], "nullptr"
            if kernel.chosen:
                chosen = f"chosen_{k.number}"
                entries = ", ".join(
                    f"{{{c.indexed}, {c.width}, {c.floats}}}" for c in kernel.chosen
                )
                write(f"static const ChosenMatrix {chosen}[] = {{{entries}}};")
            lines.append(f"    {_kernel(k, kernel, chosen, tables)},")
        write(f"static const KernelInfo kernels_{b}[] = {{")
        for line in lines:
            write(line)
        write("};")


def _kernel(
    kernel: KernelLayout, compiled: CompiledKernel, chosen: str, tables: Iterator[int]
) -> str:
    """The initialiser of a `KernelInfo`. `chosen` names the array of its chosen matrices; `tables`
    yields the numbers of packed copies of tables."""
    spec, number = kernel.spec, kernel.number
    variants = [
        compiled.symbol(r) if r in compiled.tiles else "nullptr"
        for r in range(max(compiled.tiles) + 1)
    ]
    elements = spec.rows * spec.width * max(1, len(spec.epilogue) // 2)
    sources = list(kernel.sources)
    for c in compiled.chosen:
        if c.packed:
            sources[c.indexed] = replace(sources[c.indexed], table=next(tables))
    matrices = max((c.rows or 1 for c in compiled.chosen), default=1)
    stored = f", {WEIGHT_BYTES[spec.weight_type]}" if spec.weight_type != "fp32" else ""
    stored += f", {_RATE_OF_TILES}" if spec.weight_type == "tiles" else ""
    return (
        f"{{{{{', '.join(variants)}}}, {compiled.usual}, {compiled.join}, "
        f"{boolean(spec.shares_tiles)}, "
        f"{compiled.column_blocks}, {spec.rows}, {compiled.rows_at_once}, {spec.flops}, "
        f"{elements}, {2 * number}, {2 * number + 1}, {source_list(sources)}, "
        f"{chosen}, {len(compiled.chosen)}, {matrices}{stored}}}"
    )


def cpu_plan_table(write: Writer, layout: Layout) -> None:
    """The kernels of every block."""
    entries = ", ".join(f"{{kernels_{b}, {len(p.kernels)}}}" for b, p in enumerate(layout.blocks))
    write(f"const BlockKernels kPlans[] = {{{entries}}};")
