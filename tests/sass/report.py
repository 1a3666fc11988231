"""The machine code of a workload's kernels as a text: what is compared with tests/golden/sass.

python -m tests.sass treelstm --size small --arch 90
"""

from __future__ import annotations

from typing import Any

import acrobat
import workloads
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.tile import Precision
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.pipeline import run_pipeline
from harness.gpu.machine_code.disassembly import disassemble, registers
from harness.gpu.machine_code.resources import MULTIPROCESSORS, grid_barrier, read_only, table
from workloads.data.source import TreeSource


def kernels_of(name: str, size: str) -> list[KernelSpec]:
    """The kernels of a workload."""
    workload = workloads.get(name)
    model: Any = workload.model
    params = workload.make_params(size, 0, TreeSource(None))
    return [k for p in run_pipeline(model, params, acrobat.Options()).plans for k in p.kernels]


def persistent_text(name: str, size: str, arch: int, precision: Precision = "fp32") -> str:
    """The persistent kernel of a workload."""
    whole = build_cuda_kernels(kernels_of(name, size), arch, precision, persistent=True).persistent
    assert whole is not None
    routines = disassemble(whole.cubin)
    used = registers(whole.cubin)
    resident = MULTIPROCESSORS[arch].resident(used, whole.shared, whole.warps)
    arrival, poll = grid_barrier(routines)
    return "\n".join(
        [
            f"{name} {size}, sm_{arch}, {precision}: the persistent kernel",
            f"registers {used}, shared memory {whole.shared}, warps {whole.warps}",
            f"programs of a multiprocessor at once: {resident}",
            f"loads through the read-only cache: {sum(len(read_only(r)) for r in routines)}",
            f"a program arrives: {', '.join(arrival)}",
            f"a program polls: {', '.join(poll)}",
            "",
            table(routines),
            "",
        ]
    )


def launched_text(name: str, size: str, arch: int, precision: Precision = "fp32") -> str:
    """The kernels of a workload that are launched one by one."""
    lines = [f"{name} {size}, sm_{arch}, {precision}: kernels that are launched"]
    built = build_cuda_kernels(kernels_of(name, size), arch, precision)
    routines = []
    for kernel in built.kernels.values():
        for variant in kernel.variants:
            used = registers(variant.cubin)
            resident = MULTIPROCESSORS[arch].resident(used, variant.shared, variant.warps)
            routines += disassemble(variant.cubin)
            lines.append(
                f"{variant.symbol}: registers {used}, shared memory {variant.shared}, "
                f"warps {variant.warps}, {resident} at once"
            )
    return "\n".join([*lines, "", table(routines), ""])
