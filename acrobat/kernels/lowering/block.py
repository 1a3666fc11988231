"""Block lowering: a static block as a plan of batched kernels.

Every tensor of the block has M rows and a list of *segments*: a width and an expression over row
and column (`expr`). A vector has one row, a tensor of rank 0 one row and one column. In this form
splitting, slicing, concatenating, transposing and broadcasting cost nothing, and fusion is what is
left when nothing is stored in between:

* a contraction of a concatenation is a sum of contractions of its parts; a slice of a contraction
  is a contraction with fewer columns of the weight: the gates of an LSTM, however they are written;
* kernel fusion: point-wise operations stay expressions until something must be stored;
* horizontal fusion: stores of the same shape that can run at the same time become one kernel.

What must be stored, and where, is `placing`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ...ir import batched as B
from ...ir import typed as T
from ...ir.types import TensorType, align
from ..specification.expr import STRIDED
from ..specification.spec import BlockPlan
from .attention import attention
from .contraction import contraction
from .grouping import group_kernels
from .placing import Placing, Segment, Value
from .reduction import layer_norm, reduce_value, softmax


@dataclass(slots=True)
class Lowering(Placing):
    """State while one block is lowered."""

    block: B.Block = field(kw_only=True)
    kernel_fusion: bool = field(kw_only=True)
    horizontal_fusion: bool = field(kw_only=True)
    values: dict[T.Var, Value] = field(default_factory=dict)
    shared: dict[T.Var, str] = field(default_factory=dict)

    def run(self) -> BlockPlan:
        """The plan of the block."""
        for r, row in enumerate(self.block.rows):
            self.values[row.var] = self.source("row", r, row.var.type)
        for t, table in enumerate(self.block.table_rows):
            self.values[table.var] = self.source("table", t, table.var.type)
        for s in self.block.shared:
            self.shared[s.var] = s.param
        for o in self.block.ops:
            value = self.operation(o.op, o.out)
            free = o.op.name in ("slice", "concat", "reshape", "transpose", "stack", "lookup")
            self.values[o.out] = value if self.kernel_fusion or free else self.store(value, True)
        return self.plan()

    def source(self, kind: str, number: int | str, t: object) -> Value:
        """A tensor that lies in memory, row by row without gaps."""
        rows, columns = shape_of(t)
        leaf = self.pool.add(kind, number, 0, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))

    def value(self, atom: T.Atom) -> Value:
        """The segments of an operand; a shared array is one segment."""
        if isinstance(atom, T.Const):
            return Value(1, ((1, self.pool.add("lit", float(atom.value))),))
        if atom in self.values:
            return self.values[atom]
        return self.source("vec", self.shared[atom], atom.type)

    def operation(self, op: T.Op, out: T.Var) -> Value:
        """The value of the result of `op`."""
        rows, columns = shape_of(out.type)
        args = op.args
        match op.name:
            case "slice":
                return self.slice(op)
            case "concat":
                return self.concat(args, 0 if dict(op.attrs).get("axis", -1) == 0 else -1)
            case "stack":
                return self.pile([self.value(a) for a in args])
            case "reshape":
                return self.reshaped(self.value(args[0]), rows, columns)
            case "transpose":
                return self.transposed(self.value(args[0]))
            case "outer":
                x, y = self.plain(self.value(args[0])), self.value(args[1])
                return self.pointwise("mul", [self.transposed(x), y])
            case "matmul" | "linear":
                return contraction(self, op)
            case "softmax":
                return softmax(self, self.value(args[0]))
            case "layer_norm":
                return layer_norm(self, *(self.value(a) for a in args))
            case "sum" | "mean" | "max" | "argmax":
                axis = dict(op.attrs).get("axis", "all")
                vector = len(args[0].type.dims) == 1  # type: ignore[union-attr]
                return reduce_value(self, op.name, self.value(args[0]), "all" if vector else axis)
            case "attention":
                heads = op.attr("heads")
                assert isinstance(heads, int)
                q, k, v = map(self.value, args)
                return attention(self, q, k, v, heads)
        return self.pointwise(op.name, [self.value(a) for a in args])

    # -- moving elements about ---------------------------------------------------------------

    def slice(self, op: T.Op) -> Value:
        """Columns (or, of a matrix, with axis 0, rows) start to stop."""
        start, stop = op.attr("start"), op.attr("stop")
        assert isinstance(start, int) and isinstance(stop, int)
        assert isinstance(op.args[0], T.Var) and isinstance(op.args[0].type, TensorType)
        value = self.value(op.args[0])
        if len(op.args[0].type.dims) > 1 and dict(op.attrs).get("axis", 0) == 0:
            value = self.unreduced(value)
            parts = tuple((w, self.pool.down(e, start)) for w, e in value.segments)
            cut = Value(stop - start, parts)
            return self.single_row(cut) if cut.rows == 1 else cut
        whole = (start, stop) == (0, value.width)
        has_contraction = bool(self.pool.contractions([e for _, e in value.segments]))
        if not whole and not self.horizontal_fusion and has_contraction:
            # Slices of one contraction side by side in one kernel are horizontal fusion.
            assert isinstance(op.args[0], T.Var)
            value = self.values[op.args[0]] = self.store(value, True)
        return value if whole else self.columns(self.unreduced(value), start, stop)

    def columns(self, value: Value, start: int, stop: int) -> Value:
        """Columns start to stop."""
        parts: list[Segment] = []
        at = 0
        for width, e in value.segments:
            low, high = max(start, at), min(stop, at + width)
            if low < high:
                parts.append((high - low, self.pool.shift(e, low - at)))
            at += width
        return Value(value.rows, tuple(parts))

    def single_row(self, value: Value) -> Value:
        """Row 0 as a vector: whatever its rows were apart, it has only one now."""
        value = self.plain(value)
        fixed = ((w, self.pool.strided(e, lambda rs, cs: (0, cs))) for w, e in value.segments)
        return Value(1, tuple(fixed))

    def concat(self, args: tuple[T.Atom, ...], axis: int) -> Value:
        """Side by side, or, of matrices with axis 0, one below the other."""
        values = [self.value(a) for a in args]
        matrices = len(args[0].type.dims) > 1  # type: ignore[union-attr]
        if matrices and axis == 0:
            return self.pile(values)
        return Value(values[0].rows, tuple(s for v in values for s in self.unreduced(v).segments))

    def pile(self, values: list[Value]) -> Value:
        """One below the other: a temporary that each is stored into."""
        width = values[0].width
        temp = self.new_temp(sum(v.rows for v in values), width)
        at = 0
        for v in values:
            self.store_into(v, temp, at * width)
            at += v.rows
        return self.read(temp)

    def reshaped(self, value: Value, rows: int, columns: int) -> Value:
        """The same elements, row by row, in another shape."""
        if (value.rows, value.width) == (rows, columns):
            return value
        value = self.dense(value)
        kind, number, start, _, _ = self.pool.nodes[value.segments[0][1]]
        leaf = self.pool.add(kind, number, start, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))

    def transposed(self, value: Value) -> Value:
        """Rows as columns."""
        value = self.plain(value)
        if len(value.segments) > 1:
            value = self.dense(value)
        ((width, e),) = value.segments
        turned = Value(width, ((value.rows, self.pool.strided(e, lambda rs, cs: (cs, rs))),))
        return self.single_row(turned) if width == 1 else turned

    # -- point-wise ----------------------------------------------------------------------------

    def pointwise(self, fn: str, operands: list[Value]) -> Value:
        """fn of the operands, which are broadcast to the largest of them."""
        rows = max(v.rows for v in operands)
        width = max(v.width for v in operands)
        operands = self.apart([self.once(v, rows) for v in operands])
        operands = [self.fitting(v, rows, width) for v in operands]
        result: list[Segment] = []
        for low, high in _cuts([v for v in operands if v.width == width], width):
            at = [self.at(v, low, width) for v in operands]
            result.append((high - low, self.pool.add(fn, *at)))
        return Value(rows, tuple(result))

    def once(self, value: Value, rows: int) -> Value:
        """`value`, stored if it would be computed anew in each of `rows` rows."""
        leaves = all(self.pool.nodes[e][0] in (*STRIDED, "lit") for _, e in value.segments)
        return value if value.rows == rows or leaves else self.store(value, True)

    def fitting(self, value: Value, rows: int, width: int) -> Value:
        """`value` so that it can be read in every row and column of a larger result."""
        if value.width < width:
            value = self.plain(value, keep_reductions=True)
            ((_, e),) = value.segments
            return Value(rows, ((1, self.pool.strided(e, lambda rs, cs: (rs, 0))),))
        return Value(rows, value.segments)

    def at(self, value: Value, low: int, width: int) -> int:
        """The one expression of `value` at column `low`, which begins a segment or lies in it."""
        if value.width < width:
            return value.segments[0][1]
        at = 0
        for w, e in value.segments:
            if low < at + w:
                return self.pool.shift(e, low - at)
            at += w
        raise AssertionError(f"column {low} is behind the value")

    def apart(self, values: list[Value]) -> list[Value]:
        """Contractions and reductions do not meet in a kernel, and reductions run over the whole
        row: what would break that is stored."""
        roots = [e for v in values for _, e in v.segments]
        if not self.pool.reductions(roots):
            return values
        segments = {tuple(w for w, _ in v.segments) for v in values if v.width > 1}
        whole = len(segments) <= 1 and all(len(s) == 1 for s in segments)
        widths = {self.pool.nodes[r][1] for r in self.pool.reductions(roots)}
        width = max(v.width for v in values)
        if width == 1 and len(widths) == 1:
            width = next(iter(widths))
        if not whole or widths != {width}:
            return [self.unreduced(v) for v in values]
        accs = self.pool.contractions
        return [self.store(v) if accs([e for _, e in v.segments]) else v for v in values]

    def plan(self) -> BlockPlan:
        """Lay out the record, then group the stores into kernels."""
        outputs: list[int] = []
        at = 0
        for var in self.block.outputs:
            value = self.value(var)
            outputs.append(at)
            temp = self.whole_temp(value)
            if temp is not None and temp.record is None:
                # Stored where it is wanted, read from there.
                temp.record = at
            else:
                self.stores += self.stores_of(value, -1, at, value.width)
            at += align(value.rows * value.width)
        return group_kernels(self, outputs, at)


def lower_block(block: B.Block, kernel_fusion: bool, horizontal_fusion: bool) -> BlockPlan:
    """The kernels of `block`, whose dimensions are numbers."""
    made = Lowering(block=block, kernel_fusion=kernel_fusion, horizontal_fusion=horizontal_fusion)
    return made.run()


def shape_of(t: object) -> tuple[int, int]:
    """Rows and columns of a tensor of rank 0, 1 or 2."""
    assert isinstance(t, TensorType)
    known = [d.known for d in t.dims]
    sizes = [k for k in known if k is not None]
    assert len(sizes) == len(known) <= 2, f"{t} in a block"
    return (1, 1) if not sizes else (1, sizes[0]) if len(sizes) == 1 else (sizes[0], sizes[1])


def _cuts(values: list[Value], width: int) -> list[tuple[int, int]]:
    """The column ranges in which every value has a single segment."""
    edges = {0, width}
    for value in values:
        at = 0
        for w, _ in value.segments:
            at += w
            edges.add(at)
    return list(itertools.pairwise(sorted(edges)))
