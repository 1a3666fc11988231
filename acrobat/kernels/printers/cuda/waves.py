"""Which tile is fastest for a number of rows, judged by waves on the multiprocessors of a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from ...specification.spec import KernelSpec
from .packing import passes
from .tile import Precision, Tile

_L2_BYTES = 23  # per cycle and multiprocessor, when all of them read


@dataclass(frozen=True, slots=True)
class Multiprocessors:
    """The `count` multiprocessors of a GPU, whose schedulers issue a warp's multiply-add every
    `product_cycles` cycles. By default those of an H100 or H200."""

    count: int = 132
    product_cycles: int = 1


H100 = Multiprocessors()


def multiprocessors(arch: int, count: int | None) -> Multiprocessors:
    """The multiprocessors of compute capability `arch`: on sm_80 they have half as many units."""
    return Multiprocessors(count or H100.count, 2 if arch == 80 else 1)


def least_rows(
    spec: KernelSpec, parts: int, precision: Precision, tiles: list[Tile], gpu: Multiprocessors
) -> list[int]:
    """For each of the tiles, the number of rows from which it is the best one, ascending."""
    found: list[int] = []
    for n, tile in enumerate(tiles):
        least = tile.least_rows
        if n > 0 and precision not in ("fp32", "tf32x3") and tile.dot and tile.rows > 16:
            # The rates of tensor cores are not modelled: large tiles are used where they fill the
            # GPU.
            blocks = tile.blocks(spec) * parts
            filled = tile.rows * (-(-gpu.count // blocks) - 1) + 1
            least = min(512, max(2 * tile.rows, filled))
        elif n > 0 and tile.rows >= 16 and not (tile.dot and tile.rows == 16):
            rows = range(16, 65) if tile.rows == 16 else range(2 * tile.rows, 1025, 16)
            least = _crossing(spec, parts, precision, (tiles[n - 1], tile), rows, gpu)
        found.append(max(least, found[-1] + 1 if found else 1))
    return found


def _crossing(
    spec: KernelSpec,
    parts: int,
    precision: Precision,
    tiles: tuple[Tile, Tile],
    rows: range,
    gpu: Multiprocessors,
) -> int:
    """The element of `rows` from which on the larger, second one of `tiles` is to be used: smaller
    tiles are more numerous, and fill the GPU with fewer rows. The times of both grow in waves, so
    that now one, now the other is faster: the result minimises the slowdown relative to the faster
    one, summed over all of `rows`."""
    pairs = [[_cycles(spec, parts, tile, n, gpu, precision) for tile in tiles] for n in rows]
    worse = [[cycles / min(pair) for cycles in pair] for pair in pairs]
    total = sum(pair[1] for pair in worse)  # of using large tiles for all of `rows`
    best, at = total, rows[0]
    for n, (as_small, as_large) in zip(rows, worse, strict=True):
        total += as_small - as_large
        if total < best:
            best, at = total, n + rows.step
    return at


def _cycles(
    spec: KernelSpec,
    parts: int,
    tile: Tile,
    rows: int,
    gpu: Multiprocessors = H100,
    precision: Precision = "fp32",
) -> float:
    """About how many cycles `rows` rows take, limited by the instructions of a multiprocessor's
    tiles, with schedulers busy six cycles in ten with one tile and nine with more, or by the L2
    cache. Two in three instructions of a loop are products, with `tl.dot` five in six; the final
    sums take a dozen for each row and gate."""
    tiles = -(-rows // tile.rows) * tile.blocks(spec) * parts
    depth = sum(t.k for gate in spec.gates for t in gate.terms)
    products = tile.rows * tile.columns * depth / (32 * tile.warps)
    sums = 0 if tile.dot else 12 * tile.rows * len(spec.gates)
    issued = products / (0.83 if tile.dot else 0.67) + sums + 300
    issued = max(issued, products * gpu.product_cycles)
    if precision == "tf32x3" and tile.dot:
        rate = 180 if tile.slices == 1 else 80
        issued = tile.rows * tile.columns * depth / rate + 12 * tile.slices * len(spec.gates) + 300
    each = -(-tiles // gpu.count)
    warps = tile.warps / 4
    busy = each * issued * warps / min(0.9, 0.6 * warps * min(each, 2))
    read = 4 * sum(p.term(spec).k * (tile.rows + tile.columns * len(p.uses)) for p in passes(spec))
    return max(busy, tiles * read / (_L2_BYTES * gpu.count))
