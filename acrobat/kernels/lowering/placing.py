"""Where the values of a block are: expressions until they must be in memory, then temporaries.

What must be stored: the block's outputs; the input of a contraction, unless it already lies in
memory; what a reduction runs over, if it comes from a contraction; and with an option off, what
that option would have kept in registers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ir.types import ALIGN
from ..specification.expr import SOURCES, Pool
from .grouping import Store, Temp

Segment = tuple[int, int]  # width, expression

# Floats from one line of a first-level cache to the next one in the same set: 4 KiB. BERxiT's
# feed-forward reads rows of 12 KiB, 8 at a time; a line more between them makes that 1.03x.
_CACHE_WAY = 1024


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: `rows` rows, and its columns as segments."""

    rows: int
    segments: tuple[Segment, ...]

    @property
    def width(self) -> int:
        """Columns in all."""
        return sum(w for w, _ in self.segments)


@dataclass(slots=True)
class Placing:
    """The expressions of one block, its temporaries, and the stores that fill them."""

    pool: Pool = field(default_factory=Pool)
    temps: list[Temp] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)

    def unreduced(self, value: Value) -> Value:
        """`value`, stored if there are reductions in it."""
        return self.store(value) if self.pool.reductions([e for _, e in value.segments]) else value

    def plain(self, value: Value, keep_reductions: bool = False) -> Value:
        """`value`, stored if there are contractions or reductions in it: its strides can change."""
        roots = [e for _, e in value.segments]
        bound = self.pool.contractions(roots) or (
            not keep_reductions and self.pool.reductions(roots)
        )
        return self.store(value, True) if bound else value

    def in_memory(self, value: Value) -> Value:
        """`value` with every segment an array in memory."""
        if all(self.pool.nodes[e][0] in SOURCES for _, e in value.segments):
            return value
        if value.rows > 1:
            return self.read(self.stored_whole(value, spread=True))
        parts: list[Segment] = []
        for w, e in value.segments:
            stored = self.pool.nodes[e][0] in SOURCES
            parts += [(w, e)] if stored else self.store(Value(1, ((w, e),)), True).segments
        return Value(1, tuple(parts))

    def dense(self, value: Value) -> Value:
        """`value` as one segment in memory, row by row without gaps."""
        if len(value.segments) == 1:
            kind, *rest = self.pool.nodes[value.segments[0][1]]
            tight = value.rows == 1 or (len(rest) == 4 and rest[2] == value.width)
            if kind in SOURCES and rest[3] == 1 and tight:
                return value
        return self.read(self.stored_whole(value))

    def store(self, value: Value, always: bool = False) -> Value:
        """`value` as temporaries: stored by one kernel, read by later ones. A vector's segments
        become one temporary each, so that each is aligned. Unless `always`, what is in memory
        already stays where it is."""
        if value.rows > 1:
            ((_, e), *more) = value.segments
            if not more and self.pool.nodes[e][0] in (*SOURCES, "vec") and not always:
                return value
            if not more and self.pool.nodes[e][0] in SOURCES:
                return value
            return self.read(self.stored_whole(value))
        stored: list[Segment] = []
        for width, e in value.segments:
            if self.pool.nodes[e][0] in (*SOURCES, "vec", "lit"):
                stored.append((width, e))
                continue
            stored += self.read(self.stored_whole(Value(1, ((width, e),)))).segments
        return Value(1, tuple(stored))

    def stored_whole(self, value: Value, spread: bool = False) -> Temp:
        """A temporary that holds `value`, row by row; without gaps, unless `spread`."""
        fits = (t for t in self.temps if t.value == value and (spread or t.stride == t.width))
        known = next(fits, None)
        if known is not None:
            return known
        temp = self.new_temp(value.rows, value.width, value, spread)
        self.store_into(value, temp, 0)
        return temp

    def new_temp(self, rows: int, width: int, value: object = None, spread: bool = False) -> Temp:
        """Room for rows x width floats. `spread`: where the rows of a tile would all begin in the
        same set of a cache, they lie a little farther apart."""
        gap = ALIGN if spread and rows > 1 and width % _CACHE_WAY == 0 else 0
        self.temps.append(Temp(len(self.temps), rows, width, width + gap, value))
        return self.temps[-1]

    def store_into(self, value: Value, temp: Temp, at: int) -> None:
        """Stores of `value` to `temp`, from float `at` on."""
        self.stores += self.stores_of(value, temp.number, at, temp.stride)

    def stores_of(self, value: Value, temp: int, at: int, stride: int) -> list[Store]:
        """Stores of all segments of `value`, rows `stride` apart."""
        found: list[Store] = []
        column = at
        for i, (width, e) in enumerate(value.segments):
            last = value.rows == 1 and i == len(value.segments) - 1
            # What follows is free up to a multiple of 16, but whole vectors are written from here.
            stays = last and (temp < 0 or at + value.width == self.temps[temp].floats)
            stays = stays and column % ALIGN == 0
            reductions = self.pool.reductions([e])
            scalar = width == 1 and bool(reductions)
            if scalar:
                # Next to a reduction, a leaf of width 1 is read in every column of the row.
                e = self.pool.strided(e, lambda rs, cs: (rs, 0))
            found.append(
                Store(
                    temp=temp,
                    rows=value.rows,
                    width=self.pool.nodes[reductions[0]][1] if scalar else width,
                    expr=e,
                    at=column,
                    row_stride=stride if value.rows > 1 else 0,
                    padded=not scalar and (stays or width % ALIGN == 0),
                    scalar=scalar,
                )
            )
            column += width
        return found

    def read(self, temp: Temp) -> Value:
        """The value of a temporary."""
        leaf = self.pool.add("temp", temp.number, 0, temp.stride if temp.rows > 1 else 0, 1)
        return Value(temp.rows, ((temp.width, leaf),))

    def whole_temp(self, value: Value) -> Temp | None:
        """The temporary that `value` is the whole of, if it is one."""
        if len(value.segments) != 1:
            return None
        kind, *rest = self.pool.nodes[value.segments[0][1]]
        if kind != "temp" or rest[1] != 0 or rest[3] != 1:
            return None
        temp = self.temps[rest[0]]
        tight = value.rows == 1 or rest[2] == value.width
        return temp if tight and value.rows * value.width == temp.floats else None
