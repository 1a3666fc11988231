"""Build a static block, lower it, run its plan in numpy and compare with what the operations mean.

A plan is judged twice: by the rules that every code generator relies on (`verify_plan`) and by what
it computes on three nodes (`run_plan`), whose records start out as NaN.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.arena_weights import arena_weights
from acrobat.ir.dims import Dim
from acrobat.ir.ops import OPS
from acrobat.ir.types import FLOAT, TensorType
from acrobat.kernels.lowering.block import lower_block
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import BlockPlan
from acrobat.kernels.specification.verify import verify_plan

NODES = 3
CHOICES = tuple(itertools.product((True, False), repeat=2))  # kernel fusion, horizontal fusion
SLACK = 16  # floats behind an array that may be read, and are NaN here


@dataclass
class Builder:
    """A block in the making. Tensors are variables; numbers are constants."""

    inputs: list[B.BlockInput] = field(default_factory=list)
    ops: list[B.BlockOp] = field(default_factory=list)
    weights: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def gathered(self, *dims: int) -> T.Var:
        """A tensor per instance."""
        return self._input(B.Gathered(T.Var("gathered", _type(dims))))

    def gathered_row(self, *dims: int) -> T.Var:
        """A row, per instance, of a weight of shape `dims`."""
        return self._input(
            B.GatheredRow(T.Var("gathered_row", _type(dims[1:])), self._weight(dims))
        )

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
        """The block; weights that must lie in the arena are gathered, as in the pipeline."""
        block = B.Block("block", tuple(self.inputs), tuple(self.ops), outputs)
        placed = arena_weights(block)
        inputs = tuple(
            B.Gathered(i.var) if isinstance(i, B.Shared) and i.param in placed else i
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
        verify_plan(plan)
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
        self.gathered = [
            np.stack([_draw(rng, shape_of(g.var))] * NODES)
            if g.var in placed
            else _draw(rng, (NODES, *shape_of(g.var)))
            for g in block.gathered
        ]
        self.indices = [
            rng.integers(0, len(self.weights[t.param]), NODES) for t in block.gathered_rows
        ]

    def meaning(self, block: B.Block, n: int) -> Mapping[T.Var, np.ndarray]:
        """Every tensor of node n, by what the operations mean."""
        values: dict[T.Var, np.ndarray] = {s.var: self.weights[s.param] for s in block.shared}
        values |= {g.var: x[n] for g, x in zip(block.gathered, self.gathered, strict=True)}
        for t, index in zip(block.gathered_rows, self.indices, strict=True):
            values[t.var] = self.weights[t.param][index[n]]
        for o in block.ops:
            args = [values[a] if isinstance(a, T.Var) else a.value for a in o.op.args]
            values[o.out] = OPS[o.op.name].numpy(*args, **dict(o.op.attrs))
        return values

    def run_plan(self, plan: BlockPlan) -> np.ndarray:
        """The records after all kernels ran, [NODES, plan.record]."""
        starts, at = [], 0
        for x in self.gathered:
            starts.append(at + np.arange(NODES) * (x[0].size + SLACK))
            at += NODES * (x[0].size + SLACK)
        arena = np.full(at + SLACK, np.nan, np.float32)
        for x, start in zip(self.gathered, starts, strict=True):
            for n in range(NODES):
                arena[start[n] : start[n] + x[n].size] = x[n].ravel()
        record = np.full((NODES, plan.record), np.nan, np.float32)
        scratch = np.full((NODES, plan.scratch), np.nan, np.float32)
        for q, spec in enumerate(plan.kernels):
            offsets: dict[int, np.ndarray] = {}
            tables: dict[int, np.ndarray] = {}
            for i, (kind, number, start) in zip(spec.indexed, plan.operands[q], strict=True):
                assert kind == spec.operands[i].kind
                if kind == "gathered":
                    offsets[i] = starts[number] + start
                else:
                    table = self.weights[self.block.gathered_rows[number].param]
                    offsets[i] = self.indices[number] * table[0].size + start
                    tables[i] = table
            weights = [self.weights[w] for w in plan.weights[q]]
            vectors = [self.weights[v] for v in plan.vectors[q]]
            assert [w.shape for w in weights] == list(spec.weights)
            assert [v.size for v in vectors] == list(spec.vectors)
            run_reference(spec, arena, offsets, tables, weights, vectors, record, scratch)
        return record


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
