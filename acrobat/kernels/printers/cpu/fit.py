"""Whether a schedule fits a kernel on a machine. A schedule that does not must never reach the
emitter: tiles that do not cover a batch's rows, or column blocks wider than a row, would overwrite
values of other nodes."""

from __future__ import annotations

from ....limits import MAX_TILE
from ...specification.spec import KernelSpec
from ..calling_convention import tile_plan
from .schedule import ALL_ROWS, Schedule
from .target import CpuTarget
from .template import fits, padded_width

# Limits: vectors of a column block, steps of k per loop iteration, and steps that a prefetch is
# ahead.
MOST_VECTORS, MOST_UNROLLED, MOST_AHEAD = 4, 16, 512


def misfit(schedule: Schedule, spec: KernelSpec, target: CpuTarget) -> str | None:
    """Why `schedule` does not fit `spec` on `target`, or None."""
    s = schedule
    if not spec.gates:
        return "a kernel without contractions has one schedule, the rule's"
    if s.lanes < 1 or target.lanes % s.lanes:
        return f"vectors of {s.lanes} floats: the machine's have {target.lanes}, or a part of that"
    if not 1 <= s.vectors <= MOST_VECTORS:
        return f"blocks of {s.vectors} vectors: there are 1 to {MOST_VECTORS}"
    width = padded_width(spec, target)
    if s.lanes * s.vectors > width:
        return f"blocks of {s.lanes * s.vectors} columns: the kernel has {width}"
    if not s.tiles or list(s.tiles) != sorted(set(s.tiles)) or not s.tiles[0] >= 1:
        return f"tiles of {s.tiles}: expected different heights from 1 on, in order"
    if s.tiles[-1] > MAX_TILE:
        return f"tiles of {s.tiles[-1]} rows: there are up to {MAX_TILE}"
    in_memory = spec.weight_type == "tiles"  # where the matrix unit puts sums
    tall = [r for r in s.tiles if not _has_registers(target.registers, r, s.vectors)]
    if tall and not in_memory:
        return f"tiles of {tall[0]} rows and {s.vectors} vectors: {target.registers} registers"
    at_once = in_memory or fits(target.registers, s.usual, s.vectors)
    if s.usual not in s.tiles or not at_once:
        return f"a usual tile of {s.usual} rows: none takes a column block at once"
    if s.join > s.usual:
        return f"a rest of {s.join} rows is more than the usual tile of {s.usual}"
    if s.rows_at_once != ALL_ROWS and (s.rows_at_once < 1 or s.rows_at_once % s.usual):
        return f"{s.rows_at_once} rows at once are not whole tiles of {s.usual}"
    if not 1 <= s.unroll <= MOST_UNROLLED or s.ahead > MOST_AHEAD or s.gates > len(spec.gates):
        return f"unroll {s.unroll}, ahead {s.ahead}, gates {s.gates}: beyond what there is"
    return _uncovered(s, spec)


def _has_registers(registers: int, rows: int, vectors: int) -> bool:
    """Whether the registers hold the accumulators of a tile's columns, all at once or half."""
    return fits(registers, rows, vectors) or (
        vectors % 2 == 0 and fits(registers, rows, vectors // 2)
    )


def _uncovered(s: Schedule, spec: KernelSpec) -> str | None:
    """Why the tiles do not cover every number of rows that a batch may have."""
    if len(s.tiles) == 1:
        # A tile's rows are then assumed to belong to one node.
        whole = spec.rows % s.usual == 0
        return None if whole else f"tiles of {s.usual} rows do not divide a node's {spec.rows}"
    if not spec.shares_tiles:
        return "a node with a matrix of its own has tiles of a single height"
    if s.tiles[0] != 1:
        return f"tiles of {s.tiles}: one of a single row is lacking"
    for n in range(1, 3 * s.usual + 1):
        if any(r not in s.tiles for r, _ in tile_plan(n, s.tiles, s.usual, s.join)):
            return f"tiles of {s.tiles} do not cover {n} rows"
    return None
