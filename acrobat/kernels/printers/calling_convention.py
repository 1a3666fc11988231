"""What the CPU's code generator returns, and what the run-time needs to call its kernels. Neither
TVM nor the printer is needed to read it.

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

An operand that nodes choose among the matrices of a table is passed by itself: its base is the
matrix that all nodes of the call chose, as the kernel reads it (`ChosenMatrix`).

A call returns 0. The run-time partitions a batch's rows into chunks of `rows_at_once`, a chunk into
column blocks (whose weights stay in the cache meanwhile), and a column block into the tiles of
`tile_plan`.

A kernel has no predicates: it computes exactly tiles * R rows. It may read up to 15 floats
behind an operand's width (the arena and the tables are over-allocated by that), and writes
nothing outside its stores (up to the next multiple of 16 where `Store.padded`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChosenMatrix:
    """An operand that is a matrix of a table: the `indexed`-th of those with offsets. A matrix has
    `width` floats in the table and `floats` as the kernel reads it, where it is `packed` or the
    same; the table has `rows` of them (0: it is not known)."""

    indexed: int
    width: int
    floats: int
    rows: int
    packed: bool


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel in an object file. `tiles` are the row-tile heights R that exist: 1, 2, ... up to
    at most 8, and perhaps 12; or, where a tile stays within a node, one that divides its rows. Many
    rows are divided into tiles of height `usual`, and a rest of fewer than `join` together with one
    more of these; of many more, `rows_at_once` go through all column blocks before the next. The
    symbol for R is `symbol(R)`."""

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
    """The object files to link, and the kernels by name, where those that compute the same are one.
    `build_s`: seconds that building took (0: all were in the cache), `seconds` those of each kernel
    that was not."""

    paths: tuple[Path, ...]
    kernels: dict[str, CompiledKernel]
    build_s: float
    seconds: Mapping[str, float] = field(default_factory=dict)


def tile_plan(n: int, tiles: Sequence[int], usual: int, join: int) -> list[tuple[int, int]]:
    """How best to divide `n` rows into row tiles: (height, number of tiles) in order, heights out
    of `tiles` (all from 1 to 6 or 8, with or without 12, or one that divides n).

    As many of height `usual` as possible, and the rest in one tile, or in two of about the same
    height if it is no height; but a rest of less than `join` rows, 4 by the rule, is taken together
    with one more usual tile: if 8 is usual and the tallest, 9 = 5 + 4, not 8 + 1. For a tile takes
    as long as its multiply-adds or as loading its weights from the L2 cache, whichever is longer,
    and the loads alone take as long as the multiply-adds of about four rows (measured on Zen 5,
    hidden 256, R = 1 to 4: 23, 24, 26, 25 us; R = 8: 41 us).
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
