"""Groups of writes as kernel specifications: expressions become straight-line instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from ...ir.types import TensorType, align
from ..specification.expr import (
    Apply,
    Contraction,
    Expr,
    Load,
    LoadShared,
    Number,
    Product,
    Reduction,
    Region,
    reachable,
)
from ..specification.spec import Gate, Instr, KernelSpec, Matrix, Operand, Store, Term
from ..specification.verify_expr import verify_exprs
from .context import Context
from .values import Write

Key = TypeVar("Key")
Place = tuple[Literal["self", "scratch"], int]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each temporary is, in the record ("self") or in the scratch record, and the sizes of
    both in floats."""

    places: Mapping[int, Place]
    record: int
    scratch: int


@dataclass(frozen=True, slots=True)
class WrittenKernel:
    """A kernel, where its indexed operands come from, and the names of its weights and vectors, as
    in `BlockPlan`."""

    spec: KernelSpec
    operands: tuple[tuple[Literal["gathered", "gathered_row"], int, int], ...]
    weights: tuple[str, ...]
    vectors: tuple[str, ...]


def write_kernel(
    context: Context, layout: Layout, number: int, group: Sequence[Write]
) -> WrittenKernel:
    """The kernel of one group of writes."""
    name, roots = f"{context.block.name}_k{number}", [w.expr for w in group]
    verify_exprs(name, roots, group[0].width)
    code = _Code()
    for e in reachable(roots):
        code.at[e] = len(code.instrs)
        code.instrs.append(_instr(code, e))
    spec = KernelSpec(
        name=name,
        width=group[0].width,
        record=layout.record,
        operands=tuple(_operand(context, layout, r) for r in code.operands),
        weights=tuple(_matrix_shape(context.types[w]) for w in code.weights),
        vectors=tuple(_size(context.types[v]) for v in code.vectors),
        gates=tuple(code.gates),
        epilogue=tuple(code.instrs),
        stores=tuple(_store(layout, w, code.at[w.expr]) for w in group),
        rows=group[0].rows,
        scratch=layout.scratch,
    )
    indexed = tuple((r.kind, r.number, 0) for r in code.operands if r.kind != "temp")
    return WrittenKernel(spec, indexed, tuple(code.weights), tuple(code.vectors))


@dataclass(slots=True)
class _Code:
    """The instructions of a kernel so far, the position of each expression among them, and the
    operands, weights, vectors and gates that they refer to by position."""

    instrs: list[Instr] = field(default_factory=list)
    at: dict[Expr, int] = field(default_factory=dict)
    operands: dict[Region, int] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)
    vectors: dict[str, int] = field(default_factory=dict)
    gates: list[Gate] = field(default_factory=list)


def _instr(code: _Code, e: Expr) -> Instr:
    match e:
        case Load(region, start, row_stride, col_stride):
            operand = _position(code.operands, region)
            return Instr("load", (operand, start, row_stride, col_stride))
        case LoadShared(weight, start, row_stride, col_stride):
            vector = _position(code.vectors, weight)
            return Instr("load_shared", (vector, start, row_stride, col_stride))
        case Number(value):
            return Instr("lit", (), value)
        case Contraction(terms):
            code.gates.append(Gate(tuple(_term(code, t) for t in terms)))
            return Instr("acc", (len(code.gates) - 1,))
        case Reduction(fn, _, operand):
            return Instr(fn, (code.at[operand],))
        case Apply(fn, operands):
            return Instr(fn, tuple(code.at[o] for o in operands))


def _term(code: _Code, p: Product) -> Term:
    # The matrix is numbered before the left operand.
    if p.matrix is not None:
        matrix = Matrix(_position(code.operands, p.matrix), p.col, p.row, p.col_stride)
        x = _position(code.operands, p.x)
        return Term(x, p.offset, p.k, -1, 0, 0, p.row_stride, p.k_stride, matrix)
    weight = _position(code.weights, p.weight)
    x = _position(code.operands, p.x)
    return Term(x, p.offset, p.k, weight, p.row, p.col, p.row_stride, p.k_stride, turned=p.turned)


def _position(known: dict[Key, int], key: Key) -> int:
    return known.setdefault(key, len(known))


def _store(layout: Layout, w: Write, value: int) -> Store:
    kind, start = layout.places[w.temp] if w.temp >= 0 else ("self", 0)
    place: Literal["record", "scratch"] = "record" if kind == "self" else "scratch"
    return Store(start + w.at, value, w.padded, w.row_stride, place, w.scalar)


def _operand(context: Context, layout: Layout, region: Region) -> Operand:
    match region.kind:
        case "temp":
            kind, start = layout.places[region.number]
            return Operand(kind, align(context.placing.temps[region.number].floats), start)
        case "gathered":
            return Operand(region.kind, _size(context.inputs[region]))
        case "gathered_row":
            row = context.block.gathered_rows[region.number]
            matrix = isinstance(row.var.type, TensorType) and len(row.var.type.dims) == 2
            return Operand(region.kind, _size(row.var.type), rows=row.rows if matrix else 0)


def _size(t: object) -> int:
    assert isinstance(t, TensorType)
    return t.size


def _matrix_shape(t: object) -> tuple[int, int]:
    assert isinstance(t, TensorType)
    rows, columns = (d.known for d in t.dims)
    assert rows is not None and columns is not None
    return rows, columns
