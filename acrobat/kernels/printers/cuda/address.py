"""Addresses within a generated kernel: the rows of a program's tile, the operands of their nodes,
and the places of the stores. All as Triton expressions.

A tile's rows are given by `node` and `m`, the row within the node: both are vectors over the tile,
except that `node` is a number if a tile stays within a node. Rows past the last one repeat it, so
that loads need no mask; `inside` tells the stores which rows exist. `col` are the columns. Two
numbers identify the tile: `program`, along the rows and along the columns.

Addresses within a node's memory are 32-bit offsets from its beginning; the beginning of a node is a
64-bit pointer, because an arena may have 2^31 floats, and a batch's records more bytes than that.
"""

from __future__ import annotations

from ...specification.spec import KernelSpec
from .tile import Tile

# The coordinates of a tile where every program is launched for one tile.
LAUNCHED = ("tl.program_id(0)", "tl.program_id(1)")


def total(*parts: str) -> str:
    """The sum of `parts`, empty ones left out; "0" if nothing is left."""
    return " + ".join(p for p in parts if p) or "0"


def times(factor: str, n: int) -> str:
    """factor * n; "" for n = 0."""
    if n == 0:
        return ""
    return factor if n == 1 else f"{factor} * {n}"


def down(vector: str) -> str:
    """A vector as a column."""
    return f"{vector if vector.isidentifier() else f'({vector})'}[:, None]"


def across(vector: str) -> str:
    """A vector as a row."""
    return f"{vector if vector.isidentifier() else f'({vector})'}[None, :]"


class Address:
    """The addresses of one kernel variant. `program`: the expressions of a tile's coordinates."""

    def __init__(self, spec: KernelSpec, tile: Tile, program: tuple[str, str] = LAUNCHED) -> None:
        self.spec, self.tile = spec, tile
        self.program = program
        self.shared = spec.shares_tiles
        # Whether a tile may have rows that do not exist.
        self.ragged = tile.rows > 1 if self.shared else spec.rows % tile.rows > 0

    def rows(self) -> list[str]:
        """Statements for the rows of the tile."""
        r, m, tile = self.tile.rows, self.spec.rows, self.program[0]
        if self.shared:
            name = "row" if m > 1 else "node"
            lines = [f"{name} = {times(tile, r)} + tl.arange(0, {r})"]
            if self.ragged:
                lines.append(f"inside = ({name} < rows)[:, None]")
                lines.append(f"{name} = tl.minimum({name}, rows - 1)")
            return [*lines, f"node = row // {m}", f"m = row % {m}"] if m > 1 else lines
        tiles = -(-m // r)
        lines = [f"node = {tile} // {tiles}" if tiles > 1 else f"node = {tile}"]
        start = f"{tile} % {tiles} * {r} + " if tiles > 1 else ""
        lines.append(f"m = {start}tl.arange(0, {r})")
        if self.ragged:
            lines += [f"inside = (m < {m})[:, None]", f"m = tl.minimum(m, {m - 1})"]
        return lines

    def node(self, number: int) -> str:
        """The statement that finds where operand `number` of each row's node begins."""
        operand = self.spec.operands[number]
        match operand.kind:
            case "self":
                start = total(f"record + node.to(tl.int64) * {self.spec.record}", str(operand.at))
            case "scratch":
                start = total(f"scratch + node.to(tl.int64) * {self.spec.scratch}", str(operand.at))
            case _:
                start = f"base{number} + tl.load(offsets{number} + node).to(tl.int64)"
        return f"at{number} = {start}"

    def place(self, place: str) -> str:
        """The statement that finds where the record, or scratch record, of each row's node is."""
        if place == "record":
            return f"out = record + node.to(tl.int64) * {self.spec.record}"
        return f"tmp = scratch + node.to(tl.int64) * {self.spec.scratch}"

    def of_rows(self, start: str, offset: str, row_stride: int) -> str:
        """A column of pointers, one per row: start + offset + m * row_stride."""
        if self.shared and (self.spec.rows == 1 or row_stride == 0):
            m = ""
        else:
            # `start` is one pointer if the tile stays within a node: m makes it one per row.
            m = times("m", row_stride) or "m * 0"
        return down(total(start, offset, m))

    def mask(self, rows: bool, columns: bool) -> str:
        """The mask argument of a load or store, if it needs one: by `rows`, and by `columns` if
        the access is at those of `col`."""
        masks = ["inside"] if rows and self.ragged else []
        if columns and self.spec.width % self.tile.columns:
            masks.append("held")
        return f", mask={' & '.join(masks)}" if masks else ""

    def columns(self, start: str) -> list[str]:
        """Statements for the columns of the tile, from the expression `start` on."""
        lines = [f"col = {total(start, f'tl.arange(0, {self.tile.columns})')}"]
        if self.spec.width % self.tile.columns:
            lines.append(f"held = (col < {self.spec.width})[None, :]")
        return lines
