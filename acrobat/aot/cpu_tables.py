"""The kernels of a program for the CPU as C++ tables (runtime/include/acrobat/cpu/kernels.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernels.printers.calling_convention import CompiledKernel, KernelObject
from ..kernels.specification.spec import KernelSpec

if TYPE_CHECKING:
    from .tables import TableEmitter


def emit_cpu_kernels(emit: TableEmitter, kernels: KernelObject) -> None:
    """The kernels' symbols, and a table of kernels per block."""
    emit('extern "C" {')
    for name in sorted({k.name for p in emit.plans for k in p.kernels}):
        for r in kernels.kernels[name].tiles:
            symbol = kernels.kernels[name].symbol(r)
            emit(f"int {symbol}(void*, const PackedArg*, int32_t, PackedArg*);")
    emit("}")
    emit()
    number = 0
    for b, plan in enumerate(emit.plans):
        emit(f"static const KernelInfo kernels_{b}[] = {{")
        for q, spec in enumerate(plan.kernels):
            emit(f"    {_kernel(spec, kernels.kernels[spec.name], number, emit.sources(b, q))},")
            number += 1
        emit("};")


def _kernel(spec: KernelSpec, compiled: CompiledKernel, number: int, sources: list[str]) -> str:
    """The initialiser of a `KernelInfo`."""
    variants = [
        compiled.symbol(r) if r in compiled.tiles else "nullptr"
        for r in range(max(compiled.tiles) + 1)
    ]
    shares = "true" if spec.shares_tiles else "false"
    elements = spec.rows * spec.width * max(1, len(spec.epilogue) // 2)
    return (
        f"{{{{{', '.join(variants)}}}, {compiled.usual}, {shares}, "
        f"{compiled.column_blocks}, {spec.rows}, {compiled.rows_at_once}, {spec.flops}, "
        f"{elements}, {2 * number}, {2 * number + 1}, {len(sources)}, {{{', '.join(sources)}}}}}"
    )


def emit_cpu_plans(emit: TableEmitter) -> None:
    """The kernels of every block."""
    entries = ", ".join(f"{{kernels_{b}, {len(p.kernels)}}}" for b, p in enumerate(emit.plans))
    emit(f"const BlockKernels kPlans[] = {{{entries}}};")
