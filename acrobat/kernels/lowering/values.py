"""The data structures of block lowering: tensors as expressions, temporaries, stores."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.types import TensorType
from ..specification.expr import Expr

Segment = tuple[int, Expr]  # width, expression


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: `rows` rows, and its columns as segments."""

    rows: int
    segments: tuple[Segment, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(w for w, _ in self.segments)

    @property
    def exprs(self) -> list[Expr]:
        """The expressions of its segments."""
        return [e for _, e in self.segments]


@dataclass(slots=True)
class Temp:
    """A temporary of rows x width floats, rows `stride` apart: in the scratch record, or, if it is
    an output of the block, at offset `record` of the record."""

    number: int
    rows: int
    width: int
    stride: int
    record: int | None = None

    @property
    def floats(self) -> int:
        """Its size in floats."""
        return self.rows * self.stride


@dataclass(frozen=True, slots=True)
class Write:
    """`expr` over rows x width, written at float `at` of temporary `temp` (or -1: the record),
    rows `row_stride` apart; `scalar`: one number per row."""

    temp: int
    rows: int
    width: int
    expr: Expr
    at: int
    row_stride: int = 0
    padded: bool = True
    scalar: bool = False


def shape_of(t: object) -> tuple[int, int]:
    """Rows and columns of a tensor of rank 0, 1 or 2."""
    assert isinstance(t, TensorType)
    known = [d.known for d in t.dims]
    sizes = [k for k in known if k is not None]
    assert len(sizes) == len(known) <= 2, f"{t} in a block"
    return (1, 1) if not sizes else (1, sizes[0]) if len(sizes) == 1 else (sizes[0], sizes[1])
