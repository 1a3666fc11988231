"""The batched IR: control flow around static blocks.

    module ::= datas, functions, entry, blocks
    stmt   ::= let ... | if ... | match ...            as in the typed IR, but no tensor operation
             | run block(rows...; indices...) -> var, ...    one node of the dataflow graph
    block  ::= inputs; op*; outputs                    straight-line tensor operations

Tensor variables are handles to rows that are computed later. A handle can be passed around,
returned, stored in data and sliced (`View`), but only a block reads what is behind it.

A block's inputs are `Row` (a handle, another row per instance), `TableRow` (a row of a weight
matrix, chosen per instance by an int), `Shared` (a weight, the same for the whole mini-batch).
`Run.rows` gives the handles in the order of the block's `Row` inputs, `Run.indices` the ints in
the order of its `TableRow` inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .span import NOWHERE, Span
from .typed import (
    Atom,
    Call,
    Construct,
    DataDef,
    GetField,
    Op,
    Parallel,
    Return,
    Scalar,
    Unreachable,
    Var,
    Yield,
)
from .types import TensorType, Type


@dataclass(frozen=True, slots=True)
class Row:
    """A vector read through a handle: every instance has its own. `var.type` is its shape."""

    var: Var


@dataclass(frozen=True, slots=True)
class TableRow:
    """Row `index` (per instance) of the weight matrix `param` ([V, N])."""

    var: Var
    param: str


@dataclass(frozen=True, slots=True)
class Shared:
    """The weight `param`, the same for every instance."""

    var: Var
    param: str


BlockInput = Row | TableRow | Shared


@dataclass(frozen=True, slots=True)
class BlockOp:
    out: Var
    op: Op
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Block:
    """A static block: a control-flow-free run of tensor operations, one schedulable unit."""

    name: str
    inputs: tuple[BlockInput, ...]
    ops: tuple[BlockOp, ...]
    outputs: tuple[Var, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Row))

    @property
    def table_rows(self) -> tuple[TableRow, ...]:
        return tuple(i for i in self.inputs if isinstance(i, TableRow))

    @property
    def shared(self) -> tuple[Shared, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Shared))


@dataclass(frozen=True, slots=True)
class Run:
    """Record one node: `outs` are handles to the block's outputs. `phase` is the program phase."""

    outs: tuple[Var, ...]
    block: int
    rows: tuple[Atom, ...]
    indices: tuple[Atom, ...]
    phase: int = 0
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class View:
    """`source[start : start + out width]`: a handle into the same row; no node, no copy."""

    source: Var
    start: int


@dataclass(frozen=True, slots=True)
class WeightRow:
    """A handle to the weight `param`, placed in the arena like any other row: for a weight that is
    used where each instance may have another value (yielded from a branch, stored in data)."""

    param: str


Rhs = Scalar | Call | Parallel | GetField | Construct | View | WeightRow


@dataclass(frozen=True, slots=True)
class Let:
    outs: tuple[Var, ...]
    rhs: Rhs
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class If:
    outs: tuple[Var, ...]
    cond: Atom
    then: Region
    orelse: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Arm:
    data: str
    binds: tuple[Var, ...]
    region: Region


@dataclass(frozen=True, slots=True)
class Match:
    outs: tuple[Var, ...]
    subject: Var
    arms: tuple[Arm, ...]
    span: Span = NOWHERE


Stmt = Let | Run | If | Match


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: Yield | Return | Unreachable


@dataclass(frozen=True, slots=True)
class Function:
    """No parameter is of params type any more: weights are read inside blocks."""

    name: str
    params: tuple[Var, ...]
    results: tuple[Type, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Module:
    """`instance` are the types of the entry's parameters: what one instance consists of (one
    type: the instance itself; several: a tuple of them). `result` is the declared result type.
    `weights` gives the type of every weight path that a block reads."""

    datas: Mapping[str, DataDef]
    functions: Mapping[str, Function]
    entry: str
    instance: tuple[Type, ...]
    result: Type
    blocks: tuple[Block, ...]
    weights: Mapping[str, TensorType]
