"""The tile of a kernel variant, and the loops over k that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ...specification.spec import KernelSpec
from .packing import Pass, passes

Precision = Literal["fp32", "tf32x3", "bf16x6", "tf32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("fp32", "tf32x3", "bf16x6", "tf32", "bf16")
PERSISTENT_WARPS = 4
SHARED = 96 * 1024  # bytes of shared memory that every GPU since sm_80 has
# Multiprocessors of GeForce cards have 100 KiB: two programs of a persistent kernel fit if each
# takes less than half of it, including 1 KiB for the system.
_SHARED_OF_TWO = {86: 48 * 1024, 89: 48 * 1024, 120: 48 * 1024}


@dataclass(frozen=True, slots=True)
class Tile:
    """`rows` x `columns` of a part, with `depth` values of k per iteration (0 in a row kernel).
    `dot`: products by `tl.dot`; an iteration then takes `slices` times `depth`, with separate warps
    for each slice. The tile is for batches of at least `least_rows` rows."""

    rows: int
    columns: int
    depth: int = 0
    warps: int = 4
    stages: int = 1
    dot: bool = False
    least_rows: int = 1
    slices: int = 1

    def blocks(self, spec: KernelSpec) -> int:
        """Column blocks of a part."""
        return -(-spec.width // self.columns)


def for_two(spec: KernelSpec, tile: Tile, arch: int) -> Tile:
    """`tile` with few enough stages that two programs of a persistent kernel fit on a
    multiprocessor."""
    most = _SHARED_OF_TWO.get(arch)
    if most is None or not spec.gates:
        return tile
    stage = max(stage_bytes(tile, one) for one in loops(spec, tile))
    return replace(tile, stages=max(1, min(tile.stages, most // stage)))


def loops(spec: KernelSpec, tile: Tile) -> list[list[Pass]]:
    """The passes of each loop over k: neighbours with the same range, as long as a stage of the
    loop takes at most a third of the shared memory. One loop has more loads in flight than two."""
    found: list[list[Pass]] = []
    for one in passes(spec):
        last = found[-1] if found else []
        same = bool(last) and last[0].term(spec).k == one.term(spec).k
        if same and stage_bytes(tile, [*last, one]) * 3 <= SHARED:
            last.append(one)
        else:
            found.append([one])
    return found


def stage_bytes(tile: Tile, loop: list[Pass]) -> int:
    """Shared memory for the operands of one iteration."""
    return sum(
        4 * tile.depth * tile.slices * (tile.rows + tile.columns * len(p.uses)) for p in loop
    )
