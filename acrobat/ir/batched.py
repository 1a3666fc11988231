"""The batched IR: control flow around static blocks.

    module ::= datas, functions, entry, blocks
    stmt   ::= let ... | if ... | match ... | for ... | while ... | map ...
                                                       as in the typed IR, but no tensor operation
             | run block(operands...; indices...) -> var, ...    one node of the dataflow graph
             | ghost n                                 advances the depth as n nodes would
    block  ::= inputs; op*; outputs                    straight-line tensor operations

Tensor variables are handles to tensors that are computed later. A handle can be passed around,
returned, stored in data and lists and sliced (`View`, `RowOf`), but only a block reads what is
behind it, and `read`, which suspends until it is computed.

A block's inputs are `Gathered` (a handle, another tensor per instance), `GatheredRow` (a row of a
weight, chosen per instance by an int), `Shared` (a weight, the same for the whole mini-batch).
`Run.operands` gives the handles in the order of the block's `Gathered` inputs, `Run.indices` the
ints in the order of its `GatheredRow` inputs.
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
    End,
    GetField,
    ListOp,
    Narrow,
    NextPhase,
    Op,
    Parallel,
    Read,
    Scalar,
    Var,
)
from .types import TensorType, Type


@dataclass(frozen=True, slots=True)
class Gathered:
    """A tensor read through a handle, every instance's own: a batch gathers them through their
    offsets. `var.type` is its shape."""

    var: Var


@dataclass(frozen=True, slots=True)
class GatheredRow:
    """Row `index` (per instance) of the weight `param`: a vector of a matrix [V, N], a matrix of a
    weight [V, M, N]. `rows`: V, 0 if it is not known. Inputs of a block with the same `choice`
    are rows by the same index."""

    var: Var
    param: str
    rows: int = 0
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Shared:
    """The weight `param`, the same for every instance."""

    var: Var
    param: str


BlockInput = Gathered | GatheredRow | Shared


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
    def gathered(self) -> tuple[Gathered, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Gathered))

    @property
    def gathered_rows(self) -> tuple[GatheredRow, ...]:
        return tuple(i for i in self.inputs if isinstance(i, GatheredRow))

    @property
    def shared(self) -> tuple[Shared, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Shared))


@dataclass(frozen=True, slots=True)
class Run:
    """Record one node: `outs` are handles to the block's outputs. `hoisted`: the node does not
    depend on the recursion and runs some depths early, together with those of other depths; else
    it takes the program's current depth and advances it."""

    outs: tuple[Var, ...]
    block: int
    operands: tuple[Atom, ...]
    indices: tuple[Atom, ...]
    hoisted: bool = False
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Ghost:
    """Advance the depth by `count`, as a longer branch of the same conditional does: what follows
    lines up across instances (paper: ghost operators)."""

    count: int


@dataclass(frozen=True, slots=True)
class Align:
    """In a branch or a loop of the entry: what follows in this branch, or iteration, runs when all
    instances have come as far, as if it were a program phase of its own."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Note the depth that has been reached here, for a `Resume` of the same region."""

    number: int


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on at the greatest of the depths noted: what follows needs nothing that came between."""

    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The elements of `source` from `start` on, as many as the out has: a handle into the same
    memory; no node, no copy."""

    source: Var
    start: int


@dataclass(frozen=True, slots=True)
class RowOf:
    """`source[index]` along the first axis, `index` per instance, negative ones from the end: a
    handle into the same memory."""

    source: Var
    index: Atom


@dataclass(frozen=True, slots=True)
class WeightReference:
    """A handle to the weight `param`, placed in the arena like any other tensor: for a weight that
    is used where each instance may have another value (yielded from a branch, stored in data)."""

    param: str


@dataclass(frozen=True, slots=True)
class ScalarReference:
    """A handle to a tensor of rank 0 that holds the number `value`."""

    value: Atom


Rhs = (
    Scalar
    | Call
    | Parallel
    | GetField
    | Construct
    | ListOp
    | Read
    | Narrow
    | NextPhase
    | View
    | RowOf
    | WeightReference
    | ScalarReference
)


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


@dataclass(frozen=True, slots=True)
class For:
    """As `typed.For`."""

    outs: tuple[Var, ...]
    index: Var
    start: Atom
    stop: Atom
    step: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class While:
    """As `typed.While`."""

    outs: tuple[Var, ...]
    cond: Region
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Map:
    """As `typed.Map`: all iterations start at the same depth."""

    outs: tuple[Var, ...]
    index: Var
    stop: Atom
    body: Region
    filtered: bool = False
    span: Span = NOWHERE


Stmt = Let | Run | Ghost | Align | Mark | Resume | If | Match | For | While | Map


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: End


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
    """`instance` are the types of the entry's parameters, `arguments` those that were declared:
    what one instance consists of (one type: the instance itself; several: a tuple of them). Where
    one of these has tuples in it, several parameters are parts of it. `result` is the declared
    result type. `texts` are the strings that the model mentions, by their numbers.
    `weights` gives the type of every weight path that a block reads. `blocks` begin with those that
    are hoisted: of the nodes of one depth they run first."""

    datas: Mapping[str, DataDef]
    functions: Mapping[str, Function]
    entry: str
    instance: tuple[Type, ...]
    result: Type
    blocks: tuple[Block, ...]
    weights: Mapping[str, TensorType]
    arguments: tuple[Type, ...] = ()
    texts: tuple[str, ...] = ()
