"""Writes groups of stores as kernel specifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...ir.types import TensorType, align
from ..specification.expr import REDUCTIONS
from ..specification.spec import Gate, Instr, KernelSpec, Matrix, Operand, Term
from ..specification.spec import Store as SpecStore
from .grouping import Store

if TYPE_CHECKING:
    from ..specification.expr import Product
    from .block import Lowering

Region = tuple[str, int]  # kind and number: row, table, temp


class Writer:
    """`places` says where each temporary is: in the record ("self") or in the scratch record."""

    def __init__(
        self, lowering: Lowering, places: dict[int, tuple[str, int]], record: int, scratch: int
    ) -> None:
        self.lowering, self.places = lowering, places
        self.record, self.scratch = record, scratch
        self.shapes = {s.param: s.var.type for s in lowering.block.shared}
        self.kernels: list[KernelSpec] = []
        self.rows: list[tuple[tuple[Literal["row", "table"], int, int], ...]] = []
        self.weights: list[tuple[str, ...]] = []
        self.vectors: list[tuple[str, ...]] = []

    def kernel(self, number: int, group: list[Store]) -> None:
        """Append the kernel of one group."""
        pool = self.lowering.pool
        operands: dict[Region, int] = {}
        weights: dict[str, int] = {}
        vectors: dict[str, int] = {}
        gates: list[Gate] = []
        code: list[Instr] = []
        at: dict[int, int] = {}

        def operand(region: Region) -> int:
            return operands.setdefault(region, len(operands))

        def term(p: Product) -> Term:
            matrix = None
            weight = -1
            if p.matrix is not None:
                matrix = Matrix(operand(p.matrix), p.col, p.row)
            else:
                weight = weights.setdefault(p.weight, len(weights))
            x = operand(p.x)
            row, col = (p.row, p.col) if matrix is None else (0, 0)
            return Term(x, p.offset, p.k, weight, row, col, p.row_stride, p.k_stride, matrix)

        for e in pool.reachable([s.expr for s in group]):
            kind, *rest = pool.nodes[e]
            if kind in ("row", "table", "temp"):
                instr = Instr("row", (operand((kind, rest[0])), *rest[1:]))
            elif kind == "vec":
                instr = Instr("vec", (vectors.setdefault(rest[0], len(vectors)), *rest[1:]))
            elif kind == "lit":
                instr = Instr("lit", (), rest[0])
            elif kind == "acc":
                gates.append(Gate(tuple(map(term, rest[0]))))
                instr = Instr("acc", (len(gates) - 1,))
            elif kind in REDUCTIONS:
                instr = Instr(kind, (at[rest[1]],))
            else:
                instr = Instr(kind, tuple(at[o] for o in rest))
            at[e] = len(code)
            code.append(instr)
        self.kernels.append(
            KernelSpec(
                name=f"{self.lowering.block.name}_k{number}",
                width=group[0].width,
                record=self.record,
                operands=tuple(self._operand(k, n) for k, n in operands),
                weights=tuple(_matrix_shape(self.shapes[w]) for w in weights),
                vectors=tuple(_size(self.shapes[v]) for v in vectors),
                gates=tuple(gates),
                epilogue=tuple(code),
                stores=tuple(self._store(s, at[s.expr]) for s in group),
                rows=group[0].rows,
                scratch=self.scratch,
            )
        )
        self.rows.append(
            tuple((k, n, 0) for k, n in operands if k != "temp")  # type: ignore[misc]
        )
        self.weights.append(tuple(weights))
        self.vectors.append(tuple(vectors))

    def _store(self, s: Store, value: int) -> SpecStore:
        kind, start = self.places[s.temp] if s.temp >= 0 else ("self", 0)
        place: Literal["record", "scratch"] = "record" if kind == "self" else "scratch"
        return SpecStore(start + s.at, value, s.padded, s.row_stride, place, s.scalar)

    def _operand(self, kind: str, n: int) -> Operand:
        if kind == "temp":
            where, start = self.places[n]
            size = align(self.lowering.temps[n].floats)
            return Operand("self" if where == "self" else "scratch", size, start)
        inputs = self.lowering.block.rows if kind == "row" else self.lowering.block.table_rows
        return Operand("row" if kind == "row" else "table", _size(inputs[n].var.type))


def _size(t: object) -> int:
    assert isinstance(t, TensorType)
    return t.size


def _matrix_shape(t: object) -> tuple[int, int]:
    assert isinstance(t, TensorType)
    rows, columns = (d.known for d in t.dims)
    assert rows is not None and columns is not None
    return rows, columns
