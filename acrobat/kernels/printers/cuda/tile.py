"""How a kernel is cut into programs: the tiles of each of its variants.

What the numbers are made for (H200: 132 multiprocessors, each 128 float32 multiply-adds and about
64 bytes from the L2 cache per cycle, together some 5 TB/s; 60 MB of L2). The kernel that matters
most is a tree cell, [n, 2H] x [2H, 5H] with H = 256 or 512 and n = 1 to 500 nodes in a batch:

* The weights, 2.6 or 10.5 MB, stay in the L2 cache from launch to launch. A program with R rows and
  C columns of g gates loads (R + g C) k floats and does R g C k multiply-adds, so that a
  multiprocessor is busy with arithmetic from R g C / (R + g C) = 8 on: R = 16, g C = 80 have 13,
  R = 1 has 1.
* IEEE float32 has no tensor cores. `tl.dot` is a loop of multiply-adds over tiles in shared memory;
  a thread has at most 4 x 4 results of a product, so it pays from tiles of 32 x 32 on. A batch of
  64 nodes, H = 512, in such tiles is 32 programs: three quarters of the GPU idle.
* So small batches do not use it. Threads divide k among themselves, four k's or more per warp; each
  keeps the products of all R rows with its 1 to 4 columns of all gates in registers, and what the
  threads have is added up once, at the end. Every weight that is loaded serves R rows; R g and the
  columns per thread are bounded by the registers (`_ACCUMULATORS`).
    R = 1,  C = 4:   64 or 128 programs, each a stream of 41 or 82 KB. One row needs no more.
    R = 4,  C = 8:   7 rows are 2 x 32 (x 64) programs; the weights are read twice.
    R = 16, C = 16:  64 rows are 4 x 16 (x 32) programs; the final sums are 200 shuffles per thread
                     beside 2560 (5120) multiply-adds.
  All loads of a loop are asynchronous copies, `stages` iterations deep: a trip to L2 takes about
  600 cycles, as long as the multiply-adds of an iteration with R = 16, and ten times as long as
  those with R = 1.
* Tiles of 16 rows begin where they take less time than those of 4, which are more and fill the GPU
  with fewer rows, and large ones likewise. That depends on the waves in which the tiles go through
  the GPU's multiprocessors (`Multiprocessors`), whose number is known when a program is made: tiles
  are compiled for every GPU of an architecture, and which one is launched is decided there
  (`_crossing`).
* tf32 and bf16 run on tensor cores, whose least tile has 16 rows: there `tl.dot` begins at R = 16.

A matrix of the node's own keeps a tile within its node: there is one variant, by the node's rows.
Where nodes choose among the matrices of a table, a tile is worth its height if as many rows read
one matrix, on average at least.

In a persistent kernel all tiles have `PERSISTENT_WARPS` warps. Two such programs fit on a
multiprocessor whatever their registers, and what had R = 16, C = 16 and 8 warps has C = 8: as many
warps for a batch, in twice as many programs, 11 multiply-adds per float instead of 13. Tiles of
64 x 64, k by 32, would spill in a function that is called: they are 64 x 32, k by 16.

Row kernels are bound by memory: a program takes about a thousand elements, whole rows of them if
there are reductions; what reads across rows (a transpose) takes tiles of 32 x 32, so that both the
loads and the stores are contiguous somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ...specification.spec import REDUCTIONS, KernelSpec, strides
from .packing import MAX_COLUMNS, QUAD, Pass, passes, power_of_two

Precision = Literal["fp32", "bf16x6", "tf32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16x6", "tf32", "bf16")

_ACCUMULATORS = 160  # float32 registers of a thread, of 255
_SHARED = 96 * 1024  # bytes of shared memory that every GPU since sm_80 has
# Multiprocessors of GeForce cards have 100 KiB: two programs of a persistent kernel fit with less
# than half of it each, of which 1 KiB is the system's.
_SHARED_OF_TWO = {86: 48 * 1024, 89: 48 * 1024, 120: 48 * 1024}
_L2_BYTES = 23  # of a cycle, per multiprocessor: what all of them together get
_ROW = 4096  # columns of a row that are in registers at once

PERSISTENT_WARPS = 4


@dataclass(frozen=True, slots=True)
class Multiprocessors:
    """`count` of them; their schedulers take a warp's multiply-add every `product_cycles` cycles.
    Those of an H100 or H200, unless something else is known."""

    count: int = 132
    product_cycles: int = 1


H100 = Multiprocessors()


def multiprocessors(arch: int, count: int | None) -> Multiprocessors:
    """Those of compute capability `arch`: on sm_80 a multiprocessor has half as many units."""
    return Multiprocessors(count or H100.count, 2 if arch == 80 else 1)


@dataclass(frozen=True, slots=True)
class Tile:
    """`rows` x `columns` of a part, `depth` of k per iteration (0 in a row kernel). `dot`: by
    `tl.dot`. For batches of at least `least_rows` rows."""

    rows: int
    columns: int
    depth: int = 0
    warps: int = 4
    stages: int = 1
    dot: bool = False
    least_rows: int = 1

    def blocks(self, spec: KernelSpec) -> int:
        """Column blocks of a part."""
        return -(-spec.width // self.columns)


def choose_tiles(
    spec: KernelSpec,
    parts: int,
    precision: Precision,
    warps: int | None = None,
    gpu: Multiprocessors = H100,
) -> tuple[Tile, ...]:
    """The variants of a kernel with `parts` parts like `spec`, by ascending `least_rows`; all with
    `warps` warps if that is given. On another `gpu` nothing but `least_rows` differs."""
    if not spec.gates:
        tiles = [_row_tile(spec)]
    elif not spec.shares_tiles:
        tiles = [_node_tile(spec)]
    else:
        tiles = _shared_tiles(spec, parts, precision, warps is not None, gpu)
    return tuple(tiles if warps is None else (replace(t, warps=warps) for t in tiles))


def _shared_tiles(
    spec: KernelSpec, parts: int, precision: Precision, persistent: bool, gpu: Multiprocessors
) -> list[Tile]:
    tiles = [_split_k(spec, 1, 4, 4, 1), _split_k(spec, 4, 8, 4, 2)]
    wide = spec.width >= 16
    if precision == "fp32" or not wide:
        tiles.append(_split_k(spec, 16, 8 if persistent else 16, 4 if persistent else 8, 16))
    else:
        tiles.append(_dot(spec, 16, 32, 16))
    if wide:
        rows, columns = (64, 64) if len(spec.gates) <= 2 else (32, 32)
        large = persistent and rows == 64
        tiles.append(_dot(spec, 64, 32, 1, 16) if large else _dot(spec, rows, columns, 1))
    # With many gates a smaller tile may be all that the registers allow.
    tiles = [t for n, t in enumerate(tiles) if t.rows not in {s.rows for s in tiles[:n]}]
    # A node's rows alone may be more than some variant is made for; which ones that are is not left
    # to the GPU, for machine code is made without one.
    least = _least_rows(spec, parts, precision, tiles, H100)
    last = max(n for n, rows in enumerate(least) if rows <= spec.rows)
    useful = [n for n, rows in enumerate(least) if n == last or rows > spec.rows]
    least = _least_rows(spec, parts, precision, tiles, gpu)
    # Of the rows of a batch, so many read the same matrix.
    choices = max((spec.operands[n].rows for n in spec.chosen), default=0) or 1
    return [replace(tiles[n], least_rows=1 if n == last else least[n] * choices) for n in useful]


def for_two(spec: KernelSpec, tile: Tile, arch: int) -> Tile:
    """`tile`, of so few stages that two programs of a persistent kernel fit on a multiprocessor."""
    most = _SHARED_OF_TWO.get(arch)
    if most is None or not spec.gates:
        return tile
    stage = max(_stage_bytes(tile, one) for one in loops(spec, tile))
    return replace(tile, stages=max(1, min(tile.stages, most // stage)))


def loops(spec: KernelSpec, tile: Tile) -> list[list[Pass]]:
    """The passes of each loop over k: neighbours with the same range, while a stage of the loop
    takes a third of the shared memory. One loop has more loads on their way than two."""
    found: list[list[Pass]] = []
    for one in passes(spec):
        last = found[-1] if found else []
        same = bool(last) and last[0].term(spec).k == one.term(spec).k
        if same and _stage_bytes(tile, [*last, one]) * 3 <= _SHARED:
            last.append(one)
        else:
            found.append([one])
    return found


def _split_k(spec: KernelSpec, rows: int, columns: int, warps: int, least: int) -> Tile:
    """Threads divide k among themselves."""
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


def _dot(spec: KernelSpec, rows: int, columns: int, least: int, deepest: int = 32) -> Tile:
    """Tiles by `tl.dot`, whose depth is at least 16."""
    columns = min(columns, max(16, power_of_two(spec.width)))
    while rows * columns * len(spec.gates) > 4 * 32 * _ACCUMULATORS and rows * columns > 256:
        rows, columns = (rows // 2, columns) if rows >= columns else (rows, columns // 2)
    longest = power_of_two(max(p.term(spec).k for p in passes(spec)))
    tile = Tile(rows, columns, min(deepest, max(16, longest)), 4, 3, True, least)
    if max(_stage_bytes(tile, one) for one in loops(spec, tile)) * 3 > _SHARED:
        tile = replace(tile, depth=16)
    return _staged(spec, tile)


def _node_tile(spec: KernelSpec) -> Tile:
    """Tiles within a node."""
    rows = power_of_two(spec.rows)
    if rows < 16 or spec.width < 16:
        return _split_k(spec, min(rows, 16), 32, 4, 1)
    return _dot(spec, min(rows, 64), MAX_COLUMNS, 1)


def _staged(spec: KernelSpec, tile: Tile) -> Tile:
    """As many stages as the shared memory holds."""
    stage = max(_stage_bytes(tile, one) for one in loops(spec, tile))
    stages = max(1, min(tile.stages, _SHARED // stage))
    return replace(tile, stages=stages)


def _stage_bytes(tile: Tile, loop: list[Pass]) -> int:
    return sum(4 * tile.depth * (tile.rows + tile.columns * len(p.uses)) for p in loop)


def _least_rows(
    spec: KernelSpec, parts: int, precision: Precision, tiles: list[Tile], gpu: Multiprocessors
) -> list[int]:
    """Rows from which on each of the tiles is the best one, ascending."""
    found: list[int] = []
    for n, tile in enumerate(tiles):
        least = tile.least_rows
        if n > 0 and precision != "fp32" and tile.dot and tile.rows > 16:
            # The rates of tensor cores are not known here: large tiles where they fill the GPU.
            blocks = tile.blocks(spec) * parts
            filled = tile.rows * (-(-gpu.count // blocks) - 1) + 1
            least = min(512, max(2 * tile.rows, filled))
        elif n > 0 and tile.rows >= 16 and not (tile.dot and tile.rows == 16):
            rows = range(16, 65) if tile.rows == 16 else range(2 * tile.rows, 1025, 16)
            least = _crossing(spec, parts, tiles[n - 1], tile, rows, gpu)
        found.append(max(least, found[-1] + 1 if found else 1))
    return found


def _crossing(
    spec: KernelSpec, parts: int, small: Tile, large: Tile, rows: range, gpu: Multiprocessors
) -> int:
    """The one of `rows` from which on tiles of `large` are to be taken instead of those of `small`,
    which are more, and fill the GPU with fewer rows. Both take longer by the wave, now one, now the
    other: what counts is the sum over all of `rows`, of how much longer than the faster one."""
    pairs = [[_cycles(spec, parts, tile, n, gpu) for tile in (small, large)] for n in rows]
    worse = [[cycles / min(pair) for cycles in pair] for pair in pairs]
    total = sum(pair[1] for pair in worse)  # of taking large ones from the first of `rows` on
    best, at = total, rows[0]
    for n, (as_small, as_large) in zip(rows, worse, strict=True):
        total += as_small - as_large
        if total < best:
            best, at = total, n + rows.step
    return at


def _cycles(
    spec: KernelSpec, parts: int, tile: Tile, rows: int, gpu: Multiprocessors = H100
) -> float:
    """About how long `rows` rows take, in cycles: instructions of the tiles of a multiprocessor,
    whose schedulers are busy six cycles in ten with one tile and nine with more; or the L2 cache.
    Of the instructions of a loop products are two in three, with `tl.dot` five in six; the final
    sums are a dozen for each row and gate."""
    tiles = -(-rows // tile.rows) * tile.blocks(spec) * parts
    depth = sum(t.k for gate in spec.gates for t in gate.terms)
    products = tile.rows * tile.columns * depth / (32 * tile.warps)
    sums = 0 if tile.dot else 12 * tile.rows * len(spec.gates)
    issued = products / (0.83 if tile.dot else 0.67) + sums + 300
    issued = max(issued, products * gpu.product_cycles)
    each = -(-tiles // gpu.count)
    warps = tile.warps / 4
    busy = each * issued * warps / min(0.9, 0.6 * warps * min(each, 2))
    read = 4 * sum(p.term(spec).k * (tile.rows + tile.columns * len(p.uses)) for p in passes(spec))
    return max(busy, tiles * read / (_L2_BYTES * gpu.count))


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
