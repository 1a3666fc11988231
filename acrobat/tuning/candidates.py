"""The schedules that a search tries: all that fit, the most promising first.

The space is a product of dimensions; a search goes through them one after the other, each from the
best schedule so far. First the shape, i.e. the width of column blocks and the height of tiles,
which matters most: pruned by the number of registers and by the rule's own cost of a multiply-add.
Then latency: how far ahead weights are prefetched, and whether once per cache line or per vector;
steps of k per loop iteration; gates per pass; and last how rows are partitioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..kernels.printers.cpu.fit import MOST_VECTORS, misfit
from ..kernels.printers.cpu.rule import HEIGHTS, cost, join_of, rows_for, schedule_by_rule
from ..kernels.printers.cpu.schedule import ALL_ROWS, Schedule
from ..kernels.printers.cpu.target import CpuTarget
from ..kernels.printers.cpu.template import apply_schedule
from ..kernels.specification.spec import KernelSpec

DIMENSIONS = ("shape", "prefetch", "unroll", "gates", "rows", "rest")

# Shapes that cost more than this many times the least are not worth compiling.
_WORTH = 1.3

_AHEAD = (0, 8, 16, 64, 128)
_UNROLLED = (2, 4, 8)


def candidates(
    dimension: str, best: Schedule, spec: KernelSpec, target: CpuTarget
) -> Iterator[Schedule]:
    """The schedules that differ from `best` in `dimension`, one of `DIMENSIONS`, and fit."""
    found = {
        "shape": _shapes,
        "prefetch": _prefetches,
        "unroll": _unrolled,
        "gates": _passes,
        "rows": _parts,
        "rest": _rests,
    }[dimension](best, spec, target)
    for schedule in found:
        if schedule != best and misfit(schedule, spec, target) is None:
            yield schedule


def _shapes(best: Schedule, spec: KernelSpec, target: CpuTarget) -> Iterator[Schedule]:
    """Shapes with the rule's vector length, the cheapest first."""
    lanes, found = schedule_by_rule(spec, target).lanes, []
    for vectors in range(1, MOST_VECTORS + 1):
        for usual in HEIGHTS:
            for tiles in _tiles(usual, spec):
                rows, join = rows_for(spec, usual), join_of(usual)
                shaped = replace(
                    best,
                    lanes=lanes,
                    vectors=vectors,
                    tiles=tiles,
                    usual=usual,
                    join=join if len(tiles) > 1 else 0,
                    rows_at_once=rows,
                )
                if misfit(shaped, spec, target) is None:
                    found.append((cost(apply_schedule(spec, target, shaped)), shaped))
    found.sort(key=lambda pair: pair[0])
    worth = found[0][0] * _WORTH if found else 0.0
    yield from (shaped for price, shaped in found if price <= worth)


def _tiles(usual: int, spec: KernelSpec) -> Iterator[tuple[int, ...]]:
    """Heights of tiles that cover any number of rows, and the height that divides a node's rows."""
    if spec.shares_tiles:
        yield tuple(r for r in HEIGHTS if r <= usual)
    if spec.rows % usual == 0:
        yield (usual,)


def _prefetches(best: Schedule, _: KernelSpec, target: CpuTarget) -> Iterator[Schedule]:
    lines = (False, True) if target.lanes < 16 else (False,)
    for by_line in lines:
        yield replace(best, by_line=by_line)
    for ahead in _AHEAD:
        yield replace(best, ahead=ahead)


def _unrolled(best: Schedule, _: KernelSpec, __: CpuTarget) -> Iterator[Schedule]:
    for unroll in (1, *_UNROLLED):
        yield replace(best, unroll=unroll)


def _passes(best: Schedule, spec: KernelSpec, _: CpuTarget) -> Iterator[Schedule]:
    for gates in sorted({0, 1, 2} & set(range(len(spec.gates)))):
        yield replace(best, gates=gates)


def _parts(best: Schedule, spec: KernelSpec, _: CpuTarget) -> Iterator[Schedule]:
    """Rows that stay in the cache over all column blocks: fewer, more, all."""
    by_rule = rows_for(spec, best.usual)
    for rows in (best.usual, 4 * best.usual, 16 * best.usual, by_rule, ALL_ROWS):
        yield replace(best, rows_at_once=rows)


def _rests(best: Schedule, _: KernelSpec, __: CpuTarget) -> Iterator[Schedule]:
    if len(best.tiles) == 1:  # it divides a node's rows
        return
    for join in sorted({0, 2, join_of(best.usual), best.usual}):
        yield replace(best, join=min(join, best.usual))
