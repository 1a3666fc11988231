"""Block lowering: a static block as a plan of batched kernels.

Every tensor of the block is a list of *segments*: a width and an expression over its columns
(`expr`). In this form splitting, slicing and concatenating cost nothing, and fusion is what is
left when nothing is stored in between:

* a contraction of a concatenation is a sum of contractions of its parts; a slice of a contraction
  is a contraction with fewer columns of the weight: the gates of an LSTM, however they are written;
* kernel fusion: point-wise operations stay expressions until something must be stored;
* horizontal fusion: stores of the same width that can run at the same time become one kernel.

What must be stored: the block's outputs; the input of a contraction, unless it already lies in
memory; and with an option off, what that option would have kept in registers.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import TensorType
from .expr import SOURCES, Pool
from .group import Store, group_kernels
from .spec import BlockPlan

Segment = tuple[int, int]  # width, expression
Value = list[Segment]

ALIGN = 16  # floats; what the run-time aligns rows to


def align(n: int) -> int:
    """`n` rounded up to a whole number of vector registers."""
    return -(-n // ALIGN) * ALIGN


@dataclass(slots=True)
class Lowering:
    """State while one block is lowered; `temps` are the widths of temporaries."""

    block: B.Block
    kernel_fusion: bool
    horizontal_fusion: bool
    pool: Pool = field(default_factory=Pool)
    values: dict[T.Var, Value] = field(default_factory=dict)
    shared: dict[T.Var, str] = field(default_factory=dict)
    temps: list[Store] = field(default_factory=list)

    def run(self) -> BlockPlan:
        """The plan of the block."""
        for r, row in enumerate(self.block.rows):
            self.values[row.var] = [(_width(row.var), self.pool.add("row", r, 0))]
        for t, table in enumerate(self.block.table_rows):
            self.values[table.var] = [(_width(table.var), self.pool.add("table", t, 0))]
        for s in self.block.shared:
            self.shared[s.var] = s.param
        for o in self.block.ops:
            value = self.operation(o.op)
            stored = o.op.name not in ("slice", "concat") and not self.kernel_fusion
            self.values[o.out] = self.store(value) if stored else value
        return self.plan()

    def value(self, atom: T.Atom) -> Value:
        """The segments of a vector operand; a shared vector is one segment."""
        assert isinstance(atom, T.Var)
        if atom in self.values:
            return self.values[atom]
        return [(_width(atom), self.pool.add("vec", self.shared[atom], 0))]

    def operation(self, op: T.Op) -> Value:
        """The segments of the result of `op`."""
        match op.name:
            case "slice":
                start, stop = op.attr("start"), op.attr("stop")
                assert isinstance(start, int) and isinstance(stop, int)
                return self.slice(self.value(op.args[0]), start, stop)
            case "concat":
                return [s for a in op.args for s in self.value(a)]
            case "matmul" | "linear":
                return self.contraction(op)
        return self.pointwise(op)

    def slice(self, value: Value, start: int, stop: int) -> Value:
        whole = sum(w for w, _ in value)
        has_contraction = bool(self.pool.contractions([e for _, e in value]))
        if not self.horizontal_fusion and has_contraction and (start, stop) != (0, whole):
            # Slices of one contraction side by side in one kernel are horizontal fusion.
            value[:] = self.store(value)
        parts: Value = []
        at = 0
        for width, e in value:
            low, high = max(start, at), min(stop, at + width)
            if low < high:
                parts.append((high - low, self.pool.shift(e, low - at)))
            at += width
        return parts

    def contraction(self, op: T.Op) -> Value:
        weight = op.args[1]
        assert isinstance(weight, T.Var) and isinstance(weight.type, TensorType)
        if weight not in self.shared:
            raise NotImplementedError("a contraction with a matrix per instance")
        columns = weight.type.dims[1].known
        assert columns is not None
        x = self.in_memory(self.value(op.args[0]))
        terms = []
        row = 0
        for width, e in x:
            kind, number, start = self.pool.nodes[e]
            terms.append(((kind, number), start, width, self.shared[weight], row, 0))
            row += width
        result = self.pool.add("acc", tuple(terms))
        if len(op.args) == 3:
            ((_, bias),) = self.value(op.args[2])
            result = self.pool.add("add", result, bias)
        return [(columns, result)]

    def in_memory(self, value: Value) -> Value:
        """`value` with every segment that is not a vector in memory stored as a temporary."""
        kinds = [self.pool.nodes[e][0] for _, e in value]
        if all(k in SOURCES for k in kinds):
            return value
        return [
            s if k in SOURCES else self.store([s])[0] for s, k in zip(value, kinds, strict=True)
        ]

    def pointwise(self, op: T.Op) -> Value:
        operands: list[Value | int] = [
            self.pool.add("lit", float(a.value)) if isinstance(a, T.Const) else self.value(a)
            for a in op.args
        ]
        vectors = [v for v in operands if not isinstance(v, int)]
        result: Value = []
        for low, high in _cuts(vectors):
            at = [v if isinstance(v, int) else self.slice_one(v, low, high) for v in operands]
            result.append((high - low, self.pool.add(op.name, *at)))
        return result

    def slice_one(self, value: Value, low: int, high: int) -> int:
        """The one expression of `value` at columns low..high, which lie within a segment."""
        at = 0
        for width, e in value:
            if low < at + width:
                return self.pool.shift(e, low - at)
            at += width
        raise AssertionError(f"columns {low}:{high} are behind the value")

    def store(self, value: Value) -> Value:
        """`value` as temporaries: stored by one kernel, read by later ones."""
        stored: Value = []
        for width, e in value:
            if self.pool.nodes[e][0] in (*SOURCES, "vec"):
                stored.append((width, e))
                continue
            known = next((t for t in self.temps if t.expr == e and t.width >= width), None)
            if known is None:
                known = Store(len(self.temps), width, e, alone=True)
                self.temps.append(known)
            stored.append((width, self.pool.add("temp", known.temp, 0)))
        return stored

    def plan(self) -> BlockPlan:
        """Lay out the record, then group the stores into kernels."""
        outputs: list[int] = []
        stores: list[Store] = []
        at = 0
        for var in self.block.outputs:
            outputs.append(at)
            value = self.value(var)
            inside = at
            for i, (width, e) in enumerate(value):
                padded = i == len(value) - 1 or width % ALIGN == 0
                stores.append(Store(-1, width, e, at=inside, padded=padded))
                inside += width
            at += align(inside - at)
        return group_kernels(self, outputs, stores, at)


def lower_block(block: B.Block, kernel_fusion: bool, horizontal_fusion: bool) -> BlockPlan:
    """The kernels of `block`, whose dimensions are numbers."""
    return Lowering(block, kernel_fusion, horizontal_fusion).run()


def _width(var: T.Var) -> int:
    assert isinstance(var.type, TensorType)
    if len(var.type.dims) == 1:
        return var.type.width
    rows, columns = (d.known for d in var.type.dims)
    assert rows is not None and columns is not None
    return rows * columns


def _cuts(values: list[Value]) -> list[tuple[int, int]]:
    """The column ranges in which every value has a single segment."""
    edges = {0}
    for value in values:
        at = 0
        for width, _ in value:
            at += width
            edges.add(at)
    ordered = sorted(edges)
    return list(itertools.pairwise(ordered))
