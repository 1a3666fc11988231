"""Where the values of a block are: expressions until they must be in memory, then temporaries.

Values that must be stored: the block's outputs; the input of a contraction, unless it is already in
memory; the operand of a reduction, if it comes from a contraction; and, with an option off, the
values that the option would have kept in registers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ir.types import ALIGN
from ..specification.expr import (
    Load,
    LoadShared,
    Number,
    Pool,
    Region,
    contractions,
    reductions,
)
from .rewrite import with_strides
from .values import Segment, Temp, Value, Write

# Floats from one line of a first-level cache to the next one in the same set: 4 KiB. BERxiT's
# feed-forward layer reads rows of 12 KiB, 8 at a time; one more line between rows is 1.03x.
_CACHE_WAY = 1024


@dataclass(slots=True)
class Placing:
    """The expressions of one block, its temporaries, and the writes that fill them."""

    pool: Pool = field(default_factory=Pool)
    temps: list[Temp] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    holding: dict[Value, list[Temp]] = field(default_factory=dict)  # by the value they hold

    def unreduced(self, value: Value) -> Value:
        """`value`, stored if it contains reductions."""
        return self.store(value) if reductions(value.exprs) else value

    def plain(self, value: Value, keep_reductions: bool = False) -> Value:
        """`value`, stored if it contains contractions or reductions: its strides can be changed."""
        roots = value.exprs
        bound = contractions(roots) or (not keep_reductions and reductions(roots))
        return self.store(value, True) if bound else value

    def in_memory(self, value: Value) -> Value:
        """`value` with every segment an array in memory."""
        if all(isinstance(e, Load) for e in value.exprs):
            return value
        if value.rows > 1:
            return self.read(self.stored_whole(value, spread=True))
        parts: list[Segment] = []
        for w, e in value.segments:
            one = Value(1, ((w, e),))
            if isinstance(e, LoadShared | Number):  # which `store` leaves as they are
                parts += self.read(self.stored_whole(one)).segments
            else:
                parts += [(w, e)] if isinstance(e, Load) else self.store(one, True).segments
        return Value(1, tuple(parts))

    def dense(self, value: Value) -> Load:
        """`value` as one segment in memory, row by row without gaps."""
        ((_, e), *more) = value.segments
        if not more and isinstance(e, Load) and _tight(e, value):
            return e
        return self.load(self.stored_whole(value))

    def one_segment(self, value: Value) -> Value:
        """`value`, stored if it has several segments."""
        return value if len(value.segments) == 1 else self.read(self.stored_whole(value))

    def store(self, value: Value, always: bool = False) -> Value:
        """`value` as temporaries: stored by one kernel, read by later ones. A vector's segments
        become one temporary each, so that each is aligned. Segments that are in memory already
        stay where they are, except that `always` stores a matrix of weights."""
        if value.rows > 1:
            ((_, e), *more) = value.segments
            if not more and isinstance(e, Load | LoadShared) and not always:
                return value
            if not more and isinstance(e, Load):
                return value
            return self.read(self.stored_whole(value))
        stored: list[Segment] = []
        for width, e in value.segments:
            if isinstance(e, Load | LoadShared | Number):
                stored.append((width, e))
                continue
            stored += self.read(self.stored_whole(Value(1, ((width, e),)))).segments
        return Value(1, tuple(stored))

    def stored_whole(self, value: Value, spread: bool = False) -> Temp:
        """A temporary that holds `value`, row by row; without gaps, unless `spread`."""
        held = self.holding.get(value, ())
        fits = (t for t in held if spread or t.stride == t.width)
        known = next(fits, None)
        if known is not None:
            return known
        temp = self.new_temp(value.rows, value.width, value, spread)
        self.store_into(value, temp, 0)
        return temp

    def read_if_stored(self, value: Value) -> Value:
        """`value`, read from the temporaries that hold it or its segments, if any do."""
        if value in self.holding:
            return self.read(self.holding[value][0])
        if value.rows > 1 or len(value.segments) == 1:
            return value
        parts = [self.read_if_stored(Value(1, (s,))) for s in value.segments]
        return Value(1, tuple(s for part in parts for s in part.segments))

    def new_temp(
        self, rows: int, width: int, value: Value | None = None, spread: bool = False
    ) -> Temp:
        """A new temporary of rows x width floats. `spread`: if the rows of a tile would all begin
        in the same set of a cache, they are placed a little farther apart."""
        gap = ALIGN if spread and rows > 1 and width % _CACHE_WAY == 0 else 0
        temp = Temp(len(self.temps), rows, width, width + gap)
        self.temps.append(temp)
        if value is not None:
            self.holding.setdefault(value, []).append(temp)
        return temp

    def store_into(self, value: Value, temp: Temp, at: int) -> None:
        """Add writes of `value` to `temp`, from float `at` on."""
        self.writes += self.writes_of(value, temp.number, at, temp.stride)

    def writes_of(self, value: Value, temp: int, at: int, stride: int) -> list[Write]:
        """Writes of all segments of `value`, rows `stride` apart."""
        found: list[Write] = []
        column = at
        for i, (width, e) in enumerate(value.segments):
            last = value.rows == 1 and i == len(value.segments) - 1
            # Floats after the last segment are free up to a multiple of 16, but whole vectors are
            # written from `column` on.
            stays = last and (temp < 0 or at + value.width == self.temps[temp].floats)
            stays = stays and column % ALIGN == 0
            reduced = reductions([e])
            scalar = width == 1 and bool(reduced)
            if scalar:
                # Next to a reduction, a leaf of width 1 is read in every column of the row.
                e = with_strides(self.pool, e, lambda rs, cs: (rs, 0))
            found.append(
                Write(
                    temp=temp,
                    rows=value.rows,
                    width=reduced[0].width if scalar else width,
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
        return Value(temp.rows, ((temp.width, self.load(temp)),))

    def load(self, temp: Temp) -> Load:
        """The expression of a temporary's value."""
        stride = temp.stride if temp.rows > 1 else 0
        return self.pool.load(Region("temp", temp.number), 0, stride, 1)

    def whole_temp(self, value: Value) -> Temp | None:
        """The temporary that `value` reads in full, if there is one."""
        if len(value.segments) != 1:
            return None
        ((_, e),) = value.segments
        if not isinstance(e, Load) or e.region.kind != "temp":
            return None
        temp = self.temps[e.region.number]
        whole = e.start == 0 and value.rows * value.width == temp.floats
        return temp if whole and _tight(e, value) else None


def _tight(e: Load, value: Value) -> bool:
    """Whether `e`, the one segment of `value`, reads row by row without gaps."""
    return e.col_stride == 1 and (value.rows == 1 or e.row_stride == value.width)
