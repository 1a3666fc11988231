"""What a batched kernel computes: the interface between block lowering and code generators.

A kernel serves n nodes of one static block at once. Every node owns one *record* in the arena: a
row of `record` floats that holds the node's outputs (and temporaries) side by side, each starting
at a multiple of 16 floats. The records of a batch are contiguous.

For every node and every column j in [0, width):

    acc[g][j] = sum over the gate's terms of   x[offset : offset + k] @ W[row : row + k, col + j]
    values    = the epilogue instructions, in order, each a scalar function of column j
    record[store.offset + j] = values[store.value]

where x is an *operand*: a vector of the node's own, read in place through an offset (the gather
is fused into the kernel), W a *weight* and V a *vector* shared by all nodes.

The epilogue is straight-line code: an instruction refers to earlier ones by position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Operand:
    """A per-node vector. `row`: somewhere in the arena, at an offset per node. `table`: a row of
    a weight matrix, at an offset per node from the matrix's first element. `self`: a temporary of
    this same record, at the constant offset `at`. `width`: floats that may be read."""

    kind: Literal["row", "table", "self"]
    width: int
    at: int = 0


@dataclass(frozen=True, slots=True)
class Term:
    """Adds x[offset : offset+k] @ weights[weight][row : row+k, col : col+width], where x is
    operands[operand]."""

    operand: int
    offset: int
    k: int
    weight: int
    row: int
    col: int


@dataclass(frozen=True, slots=True)
class Gate:
    """One accumulator of `width` columns. At least one term."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Instr:
    """One epilogue instruction, evaluated at column j.

    fn      args                       meaning
    acc     (gate,)                    acc[gate][j]
    row     (operand, offset)          operands[operand][offset + j]
    vec     (vector, offset)           vectors[vector][offset + j]
    lit     ()                         `value`
    add sub mul div                    (a, b): positions of earlier instructions
    neg tanh sigmoid relu              (a,)
    """

    fn: str
    args: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Store:
    """record[offset + j] = values[value]. `padded`: the floats up to the next multiple of 16
    behind offset + width belong to nobody else and may be overwritten with anything."""

    offset: int
    value: int
    padded: bool = True


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """`weights` are the shapes [K, N] of the shared matrices, `vectors` the lengths of the shared
    vectors, `record` the floats of one record (a multiple of 16). Accuracy: float32, and within
    2e-6 relative of numpy per elementary function."""

    name: str
    width: int
    record: int
    operands: tuple[Operand, ...]
    weights: tuple[tuple[int, int], ...]
    vectors: tuple[int, ...]
    gates: tuple[Gate, ...]
    epilogue: tuple[Instr, ...]
    stores: tuple[Store, ...]

    @property
    def flops(self) -> int:
        """Floating-point operations of the contractions, per node (a multiply-add is two)."""
        return 2 * self.width * sum(t.k for g in self.gates for t in g.terms)

    @property
    def indexed(self) -> tuple[int, ...]:
        """Positions of the operands that need an offset per node (all but `self`)."""
        return tuple(i for i, o in enumerate(self.operands) if o.kind != "self")


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """How a static block runs: its record layout and the kernels, in order.

    `outputs[i]` is the offset of the block's output i in the record. For kernel q,
    `rows[q][i]` says where its i-th *indexed* operand comes from: ("row", r, start) is the node's
    r-th row handle plus `start` floats, ("table", t, start) the t-th table row. `weights[q]` and
    `vectors[q]` name the parameters behind the spec's weights and vectors.
    """

    block: str
    record: int
    outputs: tuple[int, ...]
    kernels: tuple[KernelSpec, ...]
    rows: tuple[tuple[tuple[Literal["row", "table"], int, int], ...], ...]
    weights: tuple[tuple[str, ...], ...]
    vectors: tuple[tuple[str, ...], ...]
