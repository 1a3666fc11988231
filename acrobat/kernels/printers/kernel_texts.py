"""The source of kernels as the printers write it, for reading: `fast.ir("kernels")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..specification.spec import KernelSpec
from .cpu.schedule import Schedule
from .cuda.tile import Precision


def kernel_texts(
    specs: Sequence[KernelSpec],
    target: str,
    precision: Precision,
    schedules: Mapping[str, Schedule],
) -> str:
    """Every kernel's version for the largest batches: Triton for "cuda"; TIR for "cpu", where
    `schedules` are those that are not the rule's, by kernel name."""
    if target == "cuda":
        from .cuda.emit import kernel_source as triton_source
        from .cuda.parts import split
        from .cuda.tile_choice import choose_tiles

        texts = []
        for parts, spec in ((split(s), s) for s in specs):
            tile = choose_tiles(parts.first, len(parts.specs), precision)[-1]
            texts.append(triton_source(spec, parts, tile, precision))
        return "\n".join(texts)
    from .cpu.emit import kernel_source
    from .cpu.rule import choose_template
    from .cpu.target import host_target

    return "\n".join(
        kernel_source(s, t := choose_template(s, host_target(), schedules.get(s.name)), t.tiles[-1])
        for s in specs
    )
