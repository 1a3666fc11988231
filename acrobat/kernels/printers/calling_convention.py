"""The output of the CPU code generator, and what the run-time needs to call its kernels. Reading it
needs neither TVM nor the printer.

Calling convention of every CPU kernel (TVM's packed C ABI, argument i of `args`):

    0         float*   the record of the batch's first node
    1         float*   the scratch record of the batch's first node
    2         int64    q0, the first row of the call: row q is row q % M of node q / M
    3         int64    number of row tiles
    4         int64    column block
    5         float*   packed weights
    6         float*   packed vectors
    7+ 2i     float*   base of indexed operand i: the arena, or the table
    8+ 2i     int32*   its offsets in floats from that base, one per node, the first node's first

An operand that nodes choose from a table of matrices is passed without the table: its base is the
matrix that all nodes of the call chose, in the layout that the kernel reads (`ChosenMatrix`).

A call returns 0. The run-time partitions a batch's rows into chunks of `rows_at_once`, a chunk into
column blocks (each block's weights stay in the cache meanwhile), and a column block into the tiles
of `tile_plan`.

A kernel has no predicates: it computes exactly tiles * R rows. It may read up to 15 floats past an
operand's width (the arena and the tables are over-allocated by that much), and writes nothing
outside its stores (up to the next multiple of 16 where `Store.padded`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChosenMatrix:
    """An operand that is a matrix of a table: the `indexed`-th of those with offsets. A matrix has
    `width` floats in the table and `floats` in the layout that the kernel reads, either `packed` or
    the table's; the table has `rows` matrices (0: unknown)."""

    indexed: int
    width: int
    floats: int
    rows: int
    packed: bool


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel in an object file. `tiles` are the row-tile heights R that exist: 1, 2, ... up to
    at most 8, and perhaps 12; or, where a tile stays within a node, one that divides its rows. Many
    rows are divided into tiles of height `usual`; a remainder of fewer than `join` rows is combined
    with one of these. Chunks of `rows_at_once` rows go through all column blocks before the next
    chunk. The symbol for R is `symbol(R)`."""

    name: str
    tiles: tuple[int, ...]
    usual: int
    join: int
    rows_at_once: int
    column_blocks: int
    weight_floats: int
    vector_floats: int
    chosen: tuple[ChosenMatrix, ...] = ()

    def plan(self, n: int) -> list[tuple[int, int]]:
        """How to divide `n` rows into tiles: see `tile_plan`."""
        return tile_plan(n, self.tiles, self.usual, self.join)

    def symbol(self, r: int) -> str:
        """The C symbol of the variant with row tile `r`."""
        return f"__tvm_ffi_{self.name}_r{r}"


@dataclass(frozen=True, slots=True)
class KernelObjects:
    """The object files to link, and the kernels by name; names with the same computation share one
    kernel. `build_s`: seconds that the build took (0: everything was in the cache); `seconds`: the
    same for each kernel that was built."""

    paths: tuple[Path, ...]
    kernels: dict[str, CompiledKernel]
    build_s: float
    seconds: Mapping[str, float] = field(default_factory=dict)


def tile_plan(n: int, tiles: Sequence[int], usual: int, join: int) -> list[tuple[int, int]]:
    """How best to divide `n` rows into row tiles: (height, number of tiles) in order, with heights
    from `tiles` (1, 2, ... up to at most 8, perhaps 12; or one that divides n).

    As many tiles of height `usual` as possible, and the remainder in one tile, or in two of about
    the same height if no tile has its height; but a remainder of fewer than `join` rows, 4 by the
    rule, is combined with one usual tile: if 8 is usual and the tallest, 9 = 5 + 4, not 8 + 1. The
    reason: a tile takes as long as its multiply-adds or the loads of its weights from the L2 cache,
    whichever is longer, and the loads alone take as long as the multiply-adds of about four rows
    (measured on Zen 5, hidden 256, R = 1 to 4: 23, 24, 26, 25 us; R = 8: 41 us).
    """
    if n == 0:
        return []
    full, rest = divmod(n, usual)
    if full and 0 < rest < join:
        full, rest = full - 1, usual + rest
    tail = [rest] if rest in tiles else [-(-rest // 2), rest // 2]
    plan = [(usual, full)] if full else []
    for r in tail:
        if plan and plan[-1][0] == r:
            plan[-1] = (r, plan[-1][1] + 1)
        elif r:
            plan.append((r, 1))
    return plan
