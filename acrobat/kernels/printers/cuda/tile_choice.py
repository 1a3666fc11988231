"""How a kernel is divided into programs: the tiles of each of its variants.

The numbers are chosen for an H200: 132 multiprocessors, each with 128 float32 multiply-adds and
about 64 bytes from the L2 cache per cycle, together about 5 TB/s; 60 MB of L2. The most important
kernel is a tree cell, [n, 2H] x [2H, 5H] with H = 256 or 512 and n = 1 to 500 nodes in a batch:

* The weights, 2.6 or 10.5 MB, stay in the L2 cache from launch to launch. A program with R rows and
  C columns of g gates loads (R + g C) k floats and does R g C k multiply-adds, so that arithmetic
  is a multiprocessor's bottleneck from R g C / (R + g C) = 8 on: R = 16, g C = 80 give 13, R = 1
  gives 1.
* IEEE float32 has no tensor cores. `tl.dot` is a loop of multiply-adds over tiles in shared memory;
  a thread has at most 4 x 4 results of a product, so that it pays off from tiles of 32 x 32 on. A
  batch of 64 nodes, H = 512, in such tiles is 32 programs: three quarters of the GPU would be idle.
* Small batches therefore do not use it. Threads divide k among themselves, four k's or more per
  warp; each keeps the products of all R rows with its 1 to 4 columns of all gates in registers, and
  the sums of the threads are added up once, at the end. Every weight that is loaded serves R rows;
  R g and the columns per thread are bounded by the registers (`_ACCUMULATORS`).
    R = 1,  C = 4:   64 or 128 programs, each a stream of 41 or 82 KB. One row needs no more.
    R = 4,  C = 8:   7 rows are 2 x 32 (x 64) programs; the weights are read twice.
    R = 16, C = 16:  64 rows are 4 x 16 (x 32) programs; the final sums are 200 shuffles per thread
                     beside 2560 (5120) multiply-adds.
  All loads of a loop are asynchronous copies, `stages` iterations deep: a round trip to L2 takes
  about 600 cycles, as long as the multiply-adds of an iteration with R = 16, and ten times as long
  as those with R = 1.
* Tiles of 16 rows are used from where they take less time than tiles of 4 rows, which are more
  numerous and fill the GPU with fewer rows; the same holds for large tiles. That depends on the
  waves in which the tiles go through the GPU's multiprocessors (`Multiprocessors`), whose number is
  known when a program is made: tiles are compiled for every GPU of an architecture, but which one
  is launched is decided for the GPU at hand (`_crossing` in waves.py).
* tf32 and bf16 run on tensor cores, whose smallest tile has 16 rows: they use `tl.dot` from R = 16.
* tf32x3 splits each operand in a thread's registers (products.py), so that the tensor cores'
  operands are read from shared memory once. Such a tile costs shared-memory passes and
  instructions, about as many of each (counted in PTX that is executed by the tests' emulator and in
  machine code; not measured): a tile of 16 x 8, with 4 warps that each have a slice of k, does 80
  products per cycle, tiles of 32 x 32 and 32 x 64 do 180. The operands of 64-row tiles would go
  through shared memory again: wgmma, which sm_90 has for such tiles, needs them there.

A per-node matrix keeps a tile within its node: there is one variant, chosen by the node's rows.
Where nodes choose among the matrices of a table, a tile pays off if, at least on average, as many
rows as its height read the same matrix.

In a persistent kernel all tiles have `PERSISTENT_WARPS` warps. Two such programs fit on a
multiprocessor whatever their registers, and the tile with R = 16, C = 16 and 8 warps becomes C = 8:
as many warps for a batch, in twice as many programs, 11 multiply-adds per float instead of 13.
Tiles of 64 x 64, k by 32, would spill in a function that is called: they are 64 x 32, k by 16.

Row kernels are memory-bound: a program takes about a thousand elements, in whole rows if there are
reductions; a kernel that reads across rows (a transpose) uses tiles of 32 x 32, so that both the
loads and the stores have contiguous runs.
"""

from __future__ import annotations

from dataclasses import replace

from ...specification.spec import REDUCTIONS, KernelSpec, strides
from .packing import MAX_COLUMNS, QUAD, passes, power_of_two
from .tile import SHARED, Precision, Tile, loops, stage_bytes
from .waves import H100, Multiprocessors, least_rows

_ACCUMULATORS = 160  # float32 registers of a thread, of 255
_ROW = 4096  # columns of a row that are in registers at once


def choose_tiles(
    spec: KernelSpec,
    parts: int,
    precision: Precision,
    warps: int | None = None,
    gpu: Multiprocessors = H100,
) -> tuple[Tile, ...]:
    """The variants of a kernel with `parts` parts like `spec`, by ascending `least_rows`; all with
    `warps` warps if that is given. Only `least_rows` depends on `gpu`."""
    if not spec.gates:
        tiles = [_row_tile(spec)]
    elif not spec.shares_tiles:
        tiles = [_node_tile(spec, precision)]
    else:
        tiles = _shared_tiles(spec, parts, precision, warps is not None, gpu)
    return tuple(tiles if warps is None else (replace(t, warps=warps) for t in tiles))


def _shared_tiles(
    spec: KernelSpec, parts: int, precision: Precision, persistent: bool, gpu: Multiprocessors
) -> list[Tile]:
    tiles = [_split_k(spec, 1, 4, 4, 1), _split_k(spec, 4, 8, 4, 2)]
    wide = spec.width >= 16
    if precision == "tf32x3" and wide:
        widest = (64, 32) if len(spec.gates) <= 2 else (32, 16)  # columns, depth
        tiles += [_sliced(spec, 5), _dot(spec, 32, widest[0], 1, widest[1], split=2)]
    elif precision == "fp32" or not wide:
        tiles.append(_split_k(spec, 16, 8 if persistent else 16, 4 if persistent else 8, 16))
    else:
        tiles.append(_dot(spec, 16, 32, 16))
    if wide and precision != "tf32x3":
        rows, columns = (64, 64) if len(spec.gates) <= 2 else (32, 32)
        large = persistent and rows == 64
        tiles.append(_dot(spec, 64, 32, 1, 16) if large else _dot(spec, rows, columns, 1))
    # With many gates a smaller tile may be all that the registers allow.
    tiles = [t for n, t in enumerate(tiles) if t.rows not in {s.rows for s in tiles[:n]}]
    # The rows of a single node may be enough for a later variant: earlier ones are then dropped.
    # This does not depend on `gpu`, because machine code is made without knowing it.
    least = least_rows(spec, parts, precision, tiles, H100)
    last = max(n for n, rows in enumerate(least) if rows <= spec.rows)
    useful = [n for n, rows in enumerate(least) if n == last or rows > spec.rows]
    least = least_rows(spec, parts, precision, tiles, gpu)
    # On average, one in `choices` rows of a batch reads the same matrix.
    choices = max((spec.operands[n].rows for n in spec.chosen), default=0) or 1
    return [replace(tiles[n], least_rows=1 if n == last else least[n] * choices) for n in useful]


def _split_k(spec: KernelSpec, rows: int, columns: int, warps: int, least: int) -> Tile:
    """A tile whose threads divide k among themselves."""
    columns = min(columns, power_of_two(max(spec.width, QUAD)))
    gates = len(spec.gates)
    while rows * gates > _ACCUMULATORS and rows > 1:
        rows //= 2
    per_thread = 4
    while rows * gates * per_thread > _ACCUMULATORS and per_thread > 1:
        per_thread //= 2
    longest = power_of_two(max(p.term(spec).k for p in passes(spec)))
    while warps > 1 and 32 * warps * per_thread // columns > longest:
        warps //= 2
    depth = min(longest, max(1, 32 * warps * per_thread // columns))
    return _staged(spec, Tile(rows, columns, depth, warps, 4, False, least))


def _sliced(spec: KernelSpec, least: int) -> Tile:
    """A tile by `tl.dot`, of 16 rows, whose warps divide k among themselves."""
    longest = power_of_two(max(p.term(spec).k for p in passes(spec)))
    slices = min(4, max(1, longest // 16))
    return _staged(spec, Tile(16, 8, 16, slices, 3, True, least, slices))


def _dot(
    spec: KernelSpec, rows: int, columns: int, least: int, deepest: int = 32, split: int = 1
) -> Tile:
    """A tile by `tl.dot`, of depth at least 16, with `split` accumulators for each gate."""
    columns = min(columns, max(16, power_of_two(spec.width)))
    while (
        rows * columns * len(spec.gates) * split > 4 * 32 * _ACCUMULATORS and rows * columns > 256
    ):
        rows, columns = (rows // 2, columns) if rows >= columns else (rows, columns // 2)
    longest = power_of_two(max(p.term(spec).k for p in passes(spec)))
    tile = Tile(rows, columns, min(deepest, max(16, longest)), 4, 3, True, least)
    if max(stage_bytes(tile, one) for one in loops(spec, tile)) * 3 > SHARED:
        tile = replace(tile, depth=16)
    return _staged(spec, tile)


def _node_tile(spec: KernelSpec, precision: Precision) -> Tile:
    """The tile of a kernel whose tiles stay within a node."""
    rows = power_of_two(spec.rows)
    if rows < 16 or spec.width < 16:
        return _split_k(spec, min(rows, 16), 32, 4, 1)
    if precision == "tf32x3":
        return _dot(spec, min(rows, 32), MAX_COLUMNS, 1, split=2)
    return _dot(spec, min(rows, 64), MAX_COLUMNS, 1)


def _staged(spec: KernelSpec, tile: Tile) -> Tile:
    """`tile` with as many of its stages as the shared memory holds."""
    stage = max(stage_bytes(tile, one) for one in loops(spec, tile))
    stages = max(1, min(tile.stages, SHARED // stage))
    return replace(tile, stages=stages)


def _row_tile(spec: KernelSpec) -> Tile:
    width = power_of_two(spec.width)
    reads = [strides(i) for i in spec.epilogue if i.fn == "load"]
    across = any(col > 1 and row == 1 for _, row, col in reads)
    if any(i.fn in REDUCTIONS for i in spec.epilogue):
        columns = min(width, _ROW)
    else:
        columns = min(width, 32 if across else 1024)
    rows = min(power_of_two(max(spec.rows, 64)), max(1, 1024 // columns))
    warps = 8 if rows * columns > 2048 else 4
    return Tile(rows, columns, warps=warps)
