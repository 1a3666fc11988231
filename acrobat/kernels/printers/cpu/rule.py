"""The rule: the schedule of a kernel for which no search has found a better one.

* With R rows and V vectors of columns, a vector multiply-add costs 2/R + 1/V loads: a line of
  weights is loaded from the L2 cache and then from the first-level cache, and an x[k] is broadcast.
  The V, 1 to 4, that makes this least, with the tallest R that the registers allow, gives 6 rows x
  64 columns or 8 x 48 with AVX-512 (24 accumulators, which hide the latency of the multiply-add:
  4 cycles, 2 per cycle), 6 x 16 with AVX2. Plain loops in C++ over 1024 rows with K = 768 on a
  Xeon, GF/s: 6 x 64 103, 8 x 48 97, 12 x 32 96, 8 x 32 93, 4 x 64 90, 24 x 16 54.
* Weights that do not stay in the L2 cache are loaded from beyond it for the first tile. That takes
  as long as the products of many rows, and wide blocks do not make few rows faster: these kernels
  have blocks of 2 vectors and tiles of 12 (TreeLSTM's cell, hidden 256, 12 rows: 0.23 ms, not
  0.28).
* R is 1 to 8, and 12 where the registers allow; 7 and 8 rows of 4 vectors take two passes.
* A remainder of fewer than 4 rows is combined with one usual tile (`tile_plan` says why).
"""

from __future__ import annotations

from ...specification.spec import KernelSpec
from ...specification.weight_types import WEIGHT_BYTES
from .schedule import ALL_ROWS, Schedule
from .target import CpuTarget
from .template import Template, apply_schedule, fits, padded_width

# Heights of row tiles. With 12 rows of 2 vectors instead of 8, products of 168 rows take 0.95 of
# the time at K = N = 768 and 0.97 at 256 (Xeon with AVX-512); 14 rows are no better, 10 hardly.
HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 12)

# Vectors in a column block; the first of equally good ones is taken.
VECTORS = (2, 3, 4, 1)

# Steps of k by which a prefetch is ahead. Of 8 to 128, with K from 256 to 768, 16 to 64 are within
# 2% of each other. From 8 rows on they are 1.1 to 1.2 times as fast as no prefetch with K = 512 and
# 768, 1.03 times with K = 256; below 4 rows there is no difference. (The hardware prefetches rows
# of a per-node matrix by itself: prefetching them, too, makes MV-RNN 0.95 times as fast.)
AHEAD = 32

# A node whose rows can be divided into tiles of at least this height has tiles of its own.
_ENOUGH_ROWS = 6

# Floats of weights that stay in the L2 cache from batch to batch, together with other kernels'.
_CACHED = 1 << 18

# Floats of operands that go through all column blocks together: a quarter of an L2 cache of 2 MiB
# if the weights are there too, and otherwise more, because each chunk loads the weights again.
_OPERANDS, _OPERANDS_OF_MANY = 1 << 17, 1 << 20


def choose_template(
    spec: KernelSpec, target: CpuTarget, schedule: Schedule | None = None
) -> Template:
    """The template for `spec` on `target` by its schedule (None: the rule's)."""
    return apply_schedule(spec, target, schedule or schedule_by_rule(spec, target))


def schedule_by_rule(spec: KernelSpec, target: CpuTarget) -> Schedule:
    """The rule's schedule for `spec` on `target`."""
    lanes, width = target.lanes, padded_width(spec, target)
    if not spec.gates:
        # Columns that do not fill a vector are computed one by one.
        while lanes > width:
            lanes //= 2
        return Schedule(lanes, 1, (1,), usual=1, join=0, rows_at_once=ALL_ROWS)
    if spec.weight_type == "tiles":
        return _of_tiles(spec, lanes, width)
    most = 2 if spec.rows == 1 and shared_floats(spec) > _CACHED else max(VECTORS)
    found = []
    while lanes:
        for v in VECTORS:
            # A store must not touch what comes after it, nor a load of a per-node matrix its next
            # row.
            if v <= most and v * lanes <= width:
                found.append(_shaped(spec, target, lanes, v))
        lanes //= 2
    return min(found, key=lambda s: cost(apply_schedule(spec, target, s)))


def _of_tiles(spec: KernelSpec, lanes: int, width: int) -> Schedule:
    """The schedule for the matrix unit, whose accumulators take no registers: the widest blocks, so
    that rows are rounded less often, among those that compute no columns twice, if any exist."""
    while lanes > width:
        lanes //= 2
    vectors = next(v for v in (4, 3, 2, 1) if v == 1 or width % (v * lanes) == 0)
    own = max(r for r in HEIGHTS if spec.rows % r == 0)
    tiles = (own,) if own >= _ENOUGH_ROWS else HEIGHTS
    return Schedule(lanes, vectors, tiles, tiles[-1], 0, rows_for(spec, tiles[-1]))


def cost(t: Template) -> float:
    """About the cost of a row's multiply-adds for each k, from the figures in the module's text."""
    # Rounded, so that the first of equally good ones is taken.
    return round(t.blocks * t.vectors * (0.9 + 2 / t.usual + 1 / t.vectors), 6)


def shared_floats(spec: KernelSpec) -> int:
    """The size of the shared matrices that the contractions of a node read, as stored, in units of
    a float."""
    terms = (t for g in spec.gates for t in g.terms)
    chosen, of_each = spec.chosen, WEIGHT_BYTES[spec.weight_type]
    k = sum(t.k for t in terms if t.matrix is None or t.matrix.operand in chosen)
    return spec.width * k * of_each // 4


def join_of(usual: int) -> int:
    """The `join` of a schedule: a tile of fewer than 4 rows takes as long as one of 4."""
    return min(4, usual // 2)


def rows_for(spec: KernelSpec, usual: int) -> int:
    """How many rows go through all column blocks before the next rows do."""
    if not spec.shares_tiles:
        return ALL_ROWS
    read = {(t.operand, t.offset, t.k) for g in spec.gates for t in g.terms}
    most = _OPERANDS_OF_MANY if shared_floats(spec) > _CACHED else _OPERANDS
    return max(most // sum(k for _, _, k in read) // usual, 8) * usual


def _shaped(spec: KernelSpec, target: CpuTarget, lanes: int, vectors: int) -> Schedule:
    tiles = _heights(spec, target, vectors)
    # The tallest tile that computes a column block in a single pass.
    usual = max(r for r in tiles if fits(target.registers, r, vectors))
    rows, join = rows_for(spec, usual), join_of(usual)
    return Schedule(lanes, vectors, tiles, usual, join, rows, ahead=AHEAD)


def _heights(spec: KernelSpec, target: CpuTarget, vectors: int) -> tuple[int, ...]:
    """The heights of tiles for column blocks of `vectors` vectors."""
    tiles = tuple(r for r in HEIGHTS if fits(target.registers, r, vectors))
    own = max(r for r in tiles if spec.rows % r == 0)
    if not spec.shares_tiles or own >= _ENOUGH_ROWS:
        return (own,)
    if vectors % 4 == 0:
        halves = (r for r in HEIGHTS if fits(target.registers, r, vectors // 2))
        tiles += tuple(r for r in halves if tiles[-1] < r <= 8)
    return tiles
