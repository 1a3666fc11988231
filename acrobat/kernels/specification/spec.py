"""What a batched kernel computes: the interface between block lowering and code generators.

A kernel computes n nodes of one static block at once. A node has M = `rows` rows (1 for a vector,
the sequence length for a matrix of token vectors); all rows of all nodes are computed alike. A
node owns one *record* in the arena, which holds its outputs, and one *scratch* record, which holds
temporaries, in a buffer that exists only while its batch runs. Both are runs of floats, aligned to
16; the records of a batch are contiguous, and so are the scratch records.

For every node, every row m in [0, M) and every column j in [0, width):

    acc[g][m, j] = sum over the gate's terms, k in [0, term.k), of   x[m, k] * W[k, j]
    values       = the epilogue instructions, in order
    place[store.offset + m * store.row_stride + j] = values[store.value]

An *operand* is a per-node region: memory at an offset that differs per node (the gather is fused
into the kernel) or a part of the node's record or scratch record. Every access to an operand is
affine in m and in j (or k), so that transposing, broadcasting, splitting and reshaping only change
strides. A *weight* is a matrix shared by all nodes and packed for the kernel, a *vector* any other
shared array, read element by element.

A kernel writes nothing that it reads, so that its parts may run in any order, or twice.

There are two forms. A *contraction* kernel has gates: it runs per block of columns. A *row* kernel
has no gates and may have reductions over all columns of a row (`Instr` rsum, rmax, rmaxnum,
rargmax): it runs per row. The epilogue is straight-line code: an instruction refers to earlier ones
by position. An instruction whose value is the same for all columns of a row (a reduction, or
arithmetic on reductions) is a *row scalar*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ...limits import LEAST_CHOSEN
from .weight_types import WeightType

ReductionName = Literal["rsum", "rmax", "rmaxnum", "rargmax"]
REDUCTIONS: tuple[str, ...] = get_args(ReductionName)


@dataclass(frozen=True, slots=True)
class Operand:
    """A per-node region.

    gathered      somewhere in the arena, at an offset per node
    gathered_row  a row of a weight, at an offset per node from the weight's first element
    self          in the node's own record, from the constant offset `at` on (an output stored
                  earlier)
    scratch       in the node's scratch record, from `at` on

    `width`: the floats that may be read from it. `rows`: for a matrix of a table, the number of
    matrices in the table, if known.
    """

    kind: Literal["gathered", "gathered_row", "self", "scratch"]
    width: int
    at: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """The right-hand side of a term with a per-node matrix: element [k, j] is
    operands[operand][offset + k * row_stride + j * col_stride]. `col_stride` is 1 except for a
    matrix that nodes choose from a table."""

    operand: int
    offset: int
    row_stride: int
    col_stride: int = 1


@dataclass(frozen=True, slots=True)
class Term:
    """Adds x[m, k] * W[k, j] over k, where x[m, k] is
    operands[operand][offset + m * row_stride + k * k_stride] and W[k, j] is
    weights[weight][row + k, col + j], or [col + j, row + k] if the weight is `turned`, or, if
    `matrix` is given, its element [k, j]."""

    operand: int
    offset: int
    k: int
    weight: int = -1
    row: int = 0
    col: int = 0
    row_stride: int = 0
    k_stride: int = 1
    matrix: Matrix | None = None
    turned: bool = False

    def of_weight(self, weight: np.ndarray, width: int) -> np.ndarray:
        """The part of its weight that the term reads: [k, width]."""
        seen = weight.T if self.turned else weight
        return seen[self.row : self.row + self.k, self.col : self.col + width]


@dataclass(frozen=True, slots=True)
class Gate:
    """One accumulator of `width` columns, with at least one term."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Instr:
    """One epilogue instruction, evaluated at row m and column j.

    fn           args                              meaning
    acc          (gate,)                           acc[gate][m, j]
    load         (operand, offset, row_stride, col_stride)
                                  operands[operand][offset + m * row_stride + j * col_stride]
    load_shared  (vector, offset, row_stride, col_stride)
                                  vectors[vector][offset + m * row_stride + j * col_stride]
    lit          ()                                `value`
    col          ()                                j, as a number
    a point-wise operation of `ir.ops`             (a, ...): positions of earlier instructions
    rsum rmax rmaxnum rargmax                      (a,): over the row's columns [0, width). The
                                                   maximum is NaN if any element is; for rmaxnum
                                                   it may be the largest number instead; rargmax
                                                   is the position of the first maximum, as a
                                                   number

    The usual strides of a load or load_shared are (.., 0, 1).
    """

    fn: str
    args: tuple[int, ...] = ()
    value: float = 0.0


def strides(instr: Instr) -> tuple[int, int, int]:
    """Offset, row stride and column stride of a `load` or `load_shared` instruction."""
    _, offset, *rest = instr.args
    row_stride, col_stride = rest or (0, 1)
    return offset, row_stride, col_stride


@dataclass(frozen=True, slots=True)
class Store:
    """record[offset + m * row_stride + j] = values[value], or in the scratch record.

    `padded`: in every row, the floats after the row's last column, up to the next multiple of 16,
    belong to no other value and may be overwritten with anything. `scalar`: the value is a row
    scalar, and one float per row is stored."""

    offset: int
    value: int
    padded: bool = True
    row_stride: int = 0
    place: Literal["record", "scratch"] = "record"
    scalar: bool = False


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """`weights` are the shapes [K, N] of the shared matrices, `vectors` the lengths of the other
    shared arrays, `record` and `scratch` the sizes of one record in floats (multiples of 16;
    scratch may be 0). `weight_type`: how the weights are stored for the kernel; if not as float32,
    no term has a per-node matrix. (The repr omits it, so that the keys of float32 kernels in caches
    and databases stay what they are; `what_computes` adds it.) Accuracy: float32, and within 2e-6
    relative of numpy per elementary function."""

    name: str
    width: int
    record: int
    operands: tuple[Operand, ...]
    weights: tuple[tuple[int, int], ...]
    vectors: tuple[int, ...]
    gates: tuple[Gate, ...]
    epilogue: tuple[Instr, ...]
    stores: tuple[Store, ...]
    rows: int = 1
    scratch: int = 0
    weight_type: WeightType = field(default="fp32", repr=False)

    @property
    def flops(self) -> int:
        """Floating-point operations of the contractions, per node (a multiply-add is two)."""
        return 2 * self.rows * self.width * sum(t.k for g in self.gates for t in g.terms)

    @property
    def indexed(self) -> tuple[int, ...]:
        """Positions of the operands that need an offset per node."""
        kinds = ("gathered", "gathered_row")
        return tuple(i for i, o in enumerate(self.operands) if o.kind in kinds)

    @property
    def shares_tiles(self) -> bool:
        """Whether a row tile may hold rows of several nodes: not if a term reads a per-node matrix,
        which is loaded once for the tile, unless it is `chosen`."""
        return not self._matrices or bool(self.chosen)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Positions of the operands that are large matrices of tables, if every matrix of a term
        is one and they are read in no other way: a row tile may then hold rows of several nodes
        that chose the same matrices."""
        matrices = self._matrices
        operands = [self.operands[m] for m in matrices]
        if any(o.kind != "gathered_row" or o.width < LEAST_CHOSEN for o in operands):
            return ()
        others = {t.operand for g in self.gates for t in g.terms}
        others |= {i.args[0] for i in self.epilogue if i.fn == "load"}
        return () if matrices & others else tuple(sorted(matrices))

    @property
    def _matrices(self) -> set[int]:
        terms = (t for g in self.gates for t in g.terms)
        return {t.matrix.operand for t in terms if t.matrix is not None}


def check_names(specs: Sequence[KernelSpec]) -> None:
    """ValueError unless the names of `specs` are C identifiers and differ."""
    seen: set[str] = set()
    for spec in specs:
        if not (spec.name.isascii() and spec.name.isidentifier()):
            raise ValueError(
                f"kernel name {spec.name!r} is not a C identifier; it becomes part of a symbol, so "
                f"use letters, digits and _"
            )
        if spec.name in seen:
            raise ValueError(
                f"two kernels are named {spec.name!r}; names become symbols of one program, so "
                f"give each its own"
            )
        seen.add(spec.name)


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """How a static block runs: its record layout and the kernels, in order.

    `outputs[i]` is the offset of the block's output i in the record; a tensor is stored row by row
    without gaps. `scratch` is the size of the scratch record, the same in every kernel. For
    kernel q, `operands[q][i]` says where its i-th *indexed* operand comes from: ("gathered", n,
    start) is the node's n-th reference plus `start` floats, ("gathered_row", n, start) its n-th
    gathered row.
    `weights[q]` and `vectors[q]` name the model's weights behind the spec's weights and vectors.
    """

    block: str
    record: int
    outputs: tuple[int, ...]
    kernels: tuple[KernelSpec, ...]
    operands: tuple[tuple[tuple[Literal["gathered", "gathered_row"], int, int], ...], ...]
    weights: tuple[tuple[str, ...], ...]
    vectors: tuple[tuple[str, ...], ...]
    scratch: int = 0
