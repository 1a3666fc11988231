"""Build a static block, lower it, run its plan in numpy and compare with what the operations mean.

A plan is judged twice: by the rules that every code generator relies on (`check_plan`) and by what
it computes on three nodes (`run_plan`), whose records start out as NaN.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.arena_weights import needs_row
from acrobat.ir.dims import Dim
from acrobat.ir.ops import OPS
from acrobat.ir.types import FLOAT, TensorType
from acrobat.kernels.lowering.block import lower_block
from acrobat.kernels.specification.levels import kernel_levels
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import BlockPlan, Instr, KernelSpec

NODES = 3
CHOICES = tuple(itertools.product((True, False), repeat=2))  # kernel fusion, horizontal fusion
SLACK = 16  # floats behind an array that may be read, and are NaN here


@dataclass
class Builder:
    """A block in the making. Tensors are variables; numbers are constants."""

    inputs: list[B.BlockInput] = field(default_factory=list)
    ops: list[B.BlockOp] = field(default_factory=list)
    weights: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def row(self, *dims: int) -> T.Var:
        """A tensor per instance."""
        return self._input(B.Row(T.Var("row", _type(dims))))

    def table(self, *dims: int) -> T.Var:
        """A row, per instance, of a weight of shape `dims`."""
        return self._input(B.TableRow(T.Var("table", _type(dims[1:])), self._weight(dims)))

    def shared(self, *dims: int) -> T.Var:
        """A weight of shape `dims`."""
        return self._input(B.Shared(T.Var("shared", _type(dims)), self._weight(dims)))

    def op(self, name: str, *args: T.Var | float, **attrs: T.AttrValue) -> T.Var:
        """The result of an operation."""
        atoms = tuple(a if isinstance(a, T.Var) else T.Const(a, FLOAT) for a in args)
        out = T.Var(name, OPS[name].result([a.type for a in atoms], attrs))
        self.ops.append(B.BlockOp(out, T.Op(name, atoms, tuple(sorted(attrs.items())))))
        return out

    def block(self, *outputs: T.Var) -> B.Block:
        """The block; weights that must lie in the arena are rows of it, as in the pipeline."""
        block = B.Block("block", tuple(self.inputs), tuple(self.ops), outputs)
        placed = needs_row(block)
        inputs = tuple(
            B.Row(i.var) if isinstance(i, B.Shared) and i.param in placed else i
            for i in self.inputs
        )
        return B.Block("block", inputs, tuple(self.ops), outputs)

    def _input(self, i: B.BlockInput) -> T.Var:
        self.inputs.append(i)
        return i.var

    def _weight(self, dims: tuple[int, ...]) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = dims
        return name


def judge(built: Builder, *outputs: T.Var, seed: int = 0, rtol: float = 2e-4) -> list[BlockPlan]:
    """Lower the block with every choice of fusion; each plan must keep the rules and compute what
    the operations mean. The plans, in the order of CHOICES."""
    block = built.block(*outputs)
    data = Data(built, block, seed)
    want = [data.meaning(block, n) for n in range(NODES)]
    plans = [lower_block(block, *choice) for choice in CHOICES]
    for choice, plan in zip(CHOICES, plans, strict=True):
        check_plan(plan)
        record = data.run_plan(plan)
        for n, (var, start) in itertools.product(
            range(NODES), zip(outputs, plan.outputs, strict=True)
        ):
            shape = shape_of(var)
            got = record[n, start : start + np.prod(shape, dtype=int)].reshape(shape)
            where = f"output {var}, node {n}, kernel and horizontal fusion {choice}"
            np.testing.assert_allclose(got, want[n][var], rtol, 5e-5, err_msg=where)
    return plans


class Data:
    """Random operands of a block for a few nodes."""

    def __init__(self, built: Builder, block: B.Block, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.block = block
        self.weights = {n: _draw(rng, dims) for n, dims in built.weights.items()}
        placed = {i.var: i.param for i in built.inputs if isinstance(i, B.Shared)}
        self.rows = [
            np.stack([_draw(rng, shape_of(r.var))] * NODES)
            if r.var in placed
            else _draw(rng, (NODES, *shape_of(r.var)))
            for r in block.rows
        ]
        self.indices = [
            rng.integers(0, len(self.weights[t.param]), NODES) for t in block.table_rows
        ]

    def meaning(self, block: B.Block, n: int) -> Mapping[T.Var, np.ndarray]:
        """Every tensor of node n, by what the operations mean."""
        values: dict[T.Var, np.ndarray] = {s.var: self.weights[s.param] for s in block.shared}
        values |= {r.var: x[n] for r, x in zip(block.rows, self.rows, strict=True)}
        for t, index in zip(block.table_rows, self.indices, strict=True):
            values[t.var] = self.weights[t.param][index[n]]
        for o in block.ops:
            args = [values[a] if isinstance(a, T.Var) else a.value for a in o.op.args]
            values[o.out] = OPS[o.op.name].numpy(*args, **dict(o.op.attrs))
        return values

    def run_plan(self, plan: BlockPlan) -> np.ndarray:
        """The records after all kernels ran, [NODES, plan.record]."""
        starts, at = [], 0
        for x in self.rows:
            starts.append(at + np.arange(NODES) * (x[0].size + SLACK))
            at += NODES * (x[0].size + SLACK)
        arena = np.full(at + SLACK, np.nan, np.float32)
        for x, start in zip(self.rows, starts, strict=True):
            for n in range(NODES):
                arena[start[n] : start[n] + x[n].size] = x[n].ravel()
        record = np.full((NODES, plan.record), np.nan, np.float32)
        scratch = np.full((NODES, plan.scratch), np.nan, np.float32)
        for q, spec in enumerate(plan.kernels):
            offsets: dict[int, np.ndarray] = {}
            tables: dict[int, np.ndarray] = {}
            for i, (kind, number, start) in zip(spec.indexed, plan.rows[q], strict=True):
                assert kind == spec.operands[i].kind
                if kind == "row":
                    offsets[i] = starts[number] + start
                else:
                    table = self.weights[self.block.table_rows[number].param]
                    offsets[i] = self.indices[number] * table[0].size + start
                    tables[i] = table
            weights = [self.weights[w] for w in plan.weights[q]]
            vectors = [self.weights[v] for v in plan.vectors[q]]
            assert [w.shape for w in weights] == list(spec.weights)
            assert [v.size for v in vectors] == list(spec.vectors)
            run_reference(spec, arena, offsets, tables, weights, vectors, record, scratch)
        return record


def check_plan(plan: BlockPlan) -> None:
    """What a code generator relies on: see `KernelSpec` and the calling convention. Kernels of one
    level leave alone what the others of it read or store."""
    assert plan.record % 16 == 0 and plan.scratch % 16 == 0
    sizes = {"record": plan.record, "scratch": plan.scratch}
    # What is stored and not yet overwritten; what is stored at all; what a level reads and stores.
    there = {place: np.zeros(n, bool) for place, n in sizes.items()}
    outputs, padding = np.zeros(plan.record, int), np.zeros(plan.record, bool)
    beside: dict[tuple[int, str], tuple[np.ndarray, np.ndarray]] = {}
    for spec, level in zip(plan.kernels, kernel_levels(plan), strict=True):
        assert (spec.record, spec.scratch) == (plan.record, plan.scratch)
        assert spec.stores
        _check_epilogue(spec)
        reads = _reads(spec)
        for place, size in sizes.items():
            stored, behind = _stores(spec, place)
            read = reads[place]
            assert not (read & ~there[place]).any(), f"{spec.name} reads what is not there"
            assert stored.max(initial=0) <= 1, f"floats of the {place} are stored twice"
            assert not (behind & (stored > 0)).any(), f"padding in the {place} is not free"
            written = behind | (stored > 0)
            assert not (read & written).any(), f"{spec.name} reads what it writes"
            none = np.zeros(size, bool), np.zeros(size, bool)
            read_beside, written_beside = beside.get((level, place), none)
            assert not (written & (read_beside | written_beside)).any(), spec
            assert not (read & written_beside).any(), spec
            beside[level, place] = read_beside | read, written_beside | written
            there[place] = (there[place] & ~behind) | (stored > 0)
            if place == "record":
                outputs, padding = outputs + stored, padding | behind
    assert outputs.max(initial=0) <= 1, "floats of the record are stored twice"
    assert not (padding & (outputs > 0)).any(), "padding in the record is not free"


def _stores(spec: KernelSpec, place: str) -> tuple[np.ndarray, np.ndarray]:
    """How often a kernel stores each float of its record, or scratch record, and which ones it
    writes as padding."""
    size = spec.record if place == "record" else spec.scratch
    stored, padding = np.zeros(size, int), np.zeros(size, bool)
    for s in (s for s in spec.stores if s.place == place):
        width = 1 if s.scalar else spec.width
        first = s.offset + np.arange(spec.rows)[:, None] * s.row_stride
        own = (first + np.arange(width)).ravel()
        assert own.min() >= 0 and own.max() < size, spec
        np.add.at(stored, own, 1)
        if s.padded:
            behind = (first + np.arange(width, -(-width // 16) * 16)).ravel()
            assert behind.size == 0 or behind.max() < size, spec
            padding[behind] = True
    return stored, padding


def _check_epilogue(spec: KernelSpec) -> None:
    """Reductions have kernels of their own; what is stored once per row is a row scalar."""
    if spec.gates:
        assert not any(i.fn in ("rsum", "rmax", "rargmax") for i in spec.epilogue)
    single: list[bool] = []
    for at, i in enumerate(spec.epilogue):
        single.append(_single(i, single))
        if i.fn not in ("acc", "row", "vec"):
            assert all(a < at for a in i.args)
    assert all(single[s.value] for s in spec.stores if s.scalar)


def _single(i: Instr, single: Sequence[bool]) -> bool:
    match i.fn:
        case "rsum" | "rmax" | "rargmax" | "lit":
            return True
        case "acc" | "col":
            return False
        case "row" | "vec":
            return i.args[3] == 0
    return all(single[a] for a in i.args)


def _reads(spec: KernelSpec) -> dict[str, np.ndarray]:
    """What a kernel reads of its record and of its scratch record; accesses stay in their
    operands."""
    found = {"record": np.zeros(spec.record, bool), "scratch": np.zeros(spec.scratch, bool)}
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)

    def note(operand: int, at: np.ndarray) -> None:
        o = spec.operands[operand]
        assert at.min() >= 0 and at.max() < o.width, f"{spec.name} leaves operand {operand}"
        if o.kind in ("self", "scratch"):
            found["record" if o.kind == "self" else "scratch"][o.at + at.ravel()] = True

    for i in spec.epilogue:
        if i.fn == "row":
            operand, offset, row_stride, col_stride = i.args
            note(operand, offset + m * row_stride + j * col_stride)
        if i.fn == "vec":
            vector, offset, row_stride, col_stride = i.args
            at = offset + m * row_stride + j * col_stride
            assert at.min() >= 0 and at.max() < spec.vectors[vector]
    for t in (t for g in spec.gates for t in g.terms):
        k = np.arange(t.k)
        note(t.operand, t.offset + m * t.row_stride + k * t.k_stride)
        if t.matrix is None:
            rows, columns = spec.weights[t.weight]
            assert t.row + t.k <= rows and t.col + spec.width <= columns
        else:
            at = t.matrix.offset + k[:, None] * t.matrix.row_stride + j
            note(t.matrix.operand, at)
    return found


def shape_of(var: T.Var) -> tuple[int, ...]:
    """The shape of a tensor variable as numbers."""
    assert isinstance(var.type, TensorType)
    return tuple(d.known or 0 for d in var.type.dims)


def _type(dims: Sequence[int]) -> TensorType:
    return TensorType(tuple(map(Dim.of, dims)))


def _draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Positive and negative numbers away from 0."""
    values = rng.uniform(0.1, 1, shape) * rng.choice([-1, 1], shape)
    return values.astype(np.float32)
