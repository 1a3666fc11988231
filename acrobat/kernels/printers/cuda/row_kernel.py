"""Row kernels: point-wise code, perhaps with reductions over the columns of a row.

Without reductions both rows and columns are tiled. With them a program has whole rows: at once if a
row fits in registers, as it usually does, and otherwise chunk by chunk, once per reduction and once
for the stores, recomputing what it needs (the row stays in the cache).
"""

from __future__ import annotations

from ...specification.spec import REDUCTIONS
from ..text import Text
from .address import Address, times
from .functions import pointwise
from .parts import Parts, needed
from .point import Points
from .tile import Tile

_LOWEST, _LARGEST = 'float("-inf")', 'float("inf")'


def row_kernel(text: Text, address: Address, parts: Parts, tile: Tile, wait: str = "") -> None:
    """The body of a row kernel."""
    spec = parts.first
    row = _Row(text, address, parts, tile)
    for line in address.rows():
        text(line)
    row.points.prologue(wait)
    code = needed(spec, [s.value for s in spec.stores])
    reductions = [n for n in code if spec.epilogue[n].fn in REDUCTIONS]
    if not reductions:
        row.pointwise()
    elif tile.columns >= spec.width:
        row.at_once(code)
    else:
        row.in_chunks(reductions)


class _Row:
    def __init__(self, text: Text, address: Address, parts: Parts, tile: Tile) -> None:
        self.text, self.address, self.tile = text, address, tile
        self.spec, self.points = parts.first, Points(text, address, parts)
        stores = list(enumerate(self.spec.stores))
        self.wide = [(n, s) for n, s in stores if not s.scalar]
        self.single = [(n, s) for n, s in stores if s.scalar]

    def pointwise(self) -> None:
        """A block of columns; values stored once per row are stored by the first block."""
        for line in self.address.columns(times(self.address.program[1], self.tile.columns)):
            self.text(line)
        self.points.values([s.value for s in self.spec.stores])
        self.points.stores(self.wide)
        self.points.stores(self.single, f"({self.address.program[1]} == 0)")

    def at_once(self, code: list[int]) -> None:
        """Whole rows in registers."""
        for line in self.address.columns(""):
            self.text(line)
        for n in code:
            instr = self.spec.epilogue[n]
            if instr.fn not in REDUCTIONS:
                self.text(f"v{n} = {self.points.value(n)}")
                continue
            x = self.operand(n)
            match instr.fn:
                case "rsum":
                    self.text(f"v{n} = {_over('sum', x)}")
                case "rmaxnum":
                    self.text(f"v{n} = {_over('max', x)}")
                case "rmax":
                    self.text(f"best = {x}")
                    self.maximum(n)
                case "rargmax":
                    self.text(f"best = {x}")
                    self.text("place = tl.broadcast_to(col.to(tl.float32)[None, :], best.shape)")
                    self.first_maximum(n)
        self.points.stores(self.wide + self.single)

    def in_chunks(self, reductions: list[int]) -> None:
        """Chunk by chunk: a loop per reduction, then one that stores."""
        shape = f"({self.tile.rows}, {self.tile.columns})"
        known: set[int] = set()
        for n in reductions:
            fn = self.spec.epilogue[n].fn
            self.text(f"best = tl.full({shape}, {_fill(fn)}, tl.float32)")
            if fn == "rargmax":
                self.text(f"place = tl.zeros({shape}, tl.float32)")
            self.chunk([self.spec.epilogue[n].args[0]], known)
            self.text(f"x = {self.operand(n)}")
            match fn:
                case "rsum":
                    self.text("best += x")
                case "rmaxnum":
                    self.text("best = tl.maximum(best, x)")
                case "rmax":
                    self.text(f"best = {pointwise('maximum', ['best', 'x'])}")
                case "rargmax":
                    self.text("later = (x > best) | ((x != x) & (best == best))")
                    self.text("place = tl.where(later, col.to(tl.float32)[None, :], place)")
                    self.text("best = tl.where(later, x, best)")
            self.text.depth -= 1
            match fn:
                case "rsum":
                    self.text(f"v{n} = {_over('sum', 'best')}")
                case "rmaxnum":
                    self.text(f"v{n} = {_over('max', 'best')}")
                case "rmax":
                    self.maximum(n)
                case "rargmax":
                    self.first_maximum(n)
            known.add(n)
        self.points.values([s.value for _, s in self.single], known)
        self.points.stores(self.single)
        if self.wide:
            self.chunk([s.value for _, s in self.wide], known)
            self.points.stores(self.wide)
            self.text.depth -= 1

    def chunk(self, wanted: list[int], known: set[int]) -> None:
        """The beginning of a loop over chunks that computes `wanted`."""
        self.text(f"for c0 in range(0, {self.spec.width}, {self.tile.columns}):")
        self.text.depth += 1
        for line in self.address.columns("c0"):
            self.text(line)
        self.points.values(wanted, known)

    def operand(self, n: int) -> str:
        """The operand of a reduction, [rows, columns]; columns that do not exist have no effect."""
        instr = self.spec.epilogue[n]
        x = f"tl.broadcast_to(v{instr.args[0]}, ({self.tile.rows}, {self.tile.columns}))"
        if self.spec.width % self.tile.columns == 0:
            return x
        return f"tl.where(held, {x}, {_fill(instr.fn)})"

    def maximum(self, n: int) -> None:
        """The maximum of `best`, which is NaN if any of it is, as in numpy. `tl.max` ignores NaN on
        a GPU, though not when interpreted."""
        # A sum is NaN if one of its terms is.
        missing = _over("sum", "tl.where(best != best, best, 0.0)")
        self.text(f"v{n} = {_over('max', 'best')} + {missing}")

    def first_maximum(self, n: int) -> None:
        """The least `place` at which `best` is largest or NaN."""
        self.maximum(n)
        largest = f"(best == v{n}) | (best != best)"
        self.text(f"v{n} = {_over('min', f'tl.where({largest}, place, {_LARGEST})')}")


def _over(fn: str, x: str) -> str:
    return f"tl.{fn}({x}, axis=1, keep_dims=True)"


def _fill(fn: str) -> str:
    return "0.0" if fn == "rsum" else _LOWEST
