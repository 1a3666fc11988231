"""The tables of a generated program that describe its kernels: `generated.h` declares them."""

from __future__ import annotations

from collections.abc import Mapping

from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.printers.cuda.compiled import CudaKernels
from ..layout import Layout
from ..limits import CPP_NAMES
from .cpu_tables import cpu_kernel_tables, cpu_plan_table
from .cuda_tables import cuda_kernel_tables, cuda_plan_table
from .literals import boolean, string
from .type_tables import type_tables
from .writer import Writer


def program_tables(
    write: Writer, layout: Layout, kernels: Mapping[str, CompiledKernel] | CudaKernels
) -> None:
    """Write the tables of kernels, static blocks and data types."""
    if isinstance(kernels, CudaKernels):
        cuda_kernel_tables(write, layout)
    else:
        cpu_kernel_tables(write, layout, kernels)
    write("namespace acrobat {")
    agree = " && ".join(f"{name} == {value}" for name, value in CPP_NAMES.items())
    write(f'static_assert({agree}, "acrobat/limits.py and limits.h disagree");')
    _block_info(write, layout)
    if isinstance(kernels, CudaKernels):
        cuda_plan_table(write, layout)
    else:
        cpu_plan_table(write, layout)
    _widths(write, layout)
    type_tables(write, layout)
    write(f"const int kPhases = {layout.phases};")
    write(f"const int kSubphases = {layout.subphases};")
    write(f"const bool kSuspends = {boolean(bool(layout.suspending))};")
    write(f"const bool kMemoises = {boolean(layout.memoises)};")
    cuda = ", ACROBAT_CUDA_PROGRAM_ABI" if isinstance(kernels, CudaKernels) else ""
    write(f"const AbiNumber kProgramAbi[] = {{ACROBAT_PROGRAM_ABI{cuda}, {{nullptr, 0}}}};")
    write("}  // namespace acrobat")
    write()


def _block_info(write: Writer, layout: Layout) -> None:
    for n, b in enumerate(layout.blocks):
        if b.clustered:
            arguments = ", ".join(map(str, b.clustered))
            write(f"static const int clustered_{n}[] = {{{arguments}}};")
    write("const BlockInfo kBlockInfo[] = {")
    for n, b in enumerate(layout.blocks):
        operands = (len(b.block.gathered), len(b.block.gathered_rows))
        numbers = (*operands, b.plan.record, b.plan.scratch, b.work)
        flags = f"{boolean(b.once is not None)}, {boolean(b.hoisted)}, "
        flags += f"clustered_{n}, {len(b.clustered)}" if b.clustered else "nullptr, 0"
        write(f"    {{{string(b.block.name)}, {', '.join(map(str, numbers))}, {flags}}},")
    write("};")


def _widths(write: Writer, layout: Layout) -> None:
    for b, block in enumerate(layout.blocks):
        widths = ", ".join(map(str, block.widths or (0,)))
        write(f"static const int widths_{b}[] = {{{widths}}};")
    pointers = ", ".join(f"widths_{b}" for b in range(len(layout.blocks)))
    write(f"const int* const kOperandWidths[] = {{{pointers}}};")
    write(f"const int kBlocks = {len(layout.blocks)};")
