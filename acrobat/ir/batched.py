"""The batched IR: control flow around static blocks.

    module ::= datas, functions, entry, blocks
    stmt   ::= let ... | if ... | match ... | for ... | while ... | map ...
                                                       as in the typed IR, but no tensor operation
             | run block(rows...; indices...) -> var, ...    one node of the dataflow graph
             | ghost n                                 advances the depth as n nodes would
    block  ::= inputs; op*; outputs                    straight-line tensor operations

Tensor variables are handles to tensors that are computed later. A handle can be passed around,
returned, stored in data and lists and sliced (`View`, `RowOf`), but only a block reads what is
behind it, and `read`, which waits until it is computed.

A block's inputs are `Row` (a handle, another tensor per instance), `TableRow` (a row of a weight,
chosen per instance by an int), `Shared` (a weight, the same for the whole mini-batch).
`Run.rows` gives the handles in the order of the block's `Row` inputs, `Run.indices` the ints in
the order of its `TableRow` inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
class Row:
    """A tensor read through a handle: every instance has its own. `var.type` is its shape."""

    var: Var


@dataclass(frozen=True, slots=True)
class TableRow:
    """Row `index` (per instance) of the weight `param`: a vector of a matrix [V, N], a matrix of a
    weight [V, M, N]."""

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
    """Record one node: `outs` are handles to the block's outputs. `hoisted`: the node does not
    depend on the recursion and runs some depths early, together with those of other depths; else
    it takes the program's current depth and advances it."""

    outs: tuple[Var, ...]
    block: int
    rows: tuple[Atom, ...]
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
    """In a branch or a loop of the entry: what follows in this branch, or turn, runs when all
    instances have come as far, as if it were a program phase of its own."""


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
class WeightRow:
    """A handle to the weight `param`, placed in the arena like any other tensor: for a weight that
    is used where each instance may have another value (yielded from a branch, stored in data)."""

    param: str


@dataclass(frozen=True, slots=True)
class ScalarRow:
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
    | WeightRow
    | ScalarRow
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
    """As `typed.Map`: all turns start at the same depth."""

    outs: tuple[Var, ...]
    index: Var
    stop: Atom
    body: Region
    filtered: bool = False
    span: Span = NOWHERE


Stmt = Let | Run | Ghost | Align | If | Match | For | While | Map


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: End


# Weights of more rows are not kept track of: a note per row would be megabytes.
_MOST_ROWS = 1 << 20


# More turns than that of a loop whose turns are aligned run unaligned.
MOST_TURNS = 4096


def turns(module: Module) -> int:
    """In how many parts an `align` may divide a phase."""
    body = module.functions[module.entry].body
    if any(_aligns(r) for s in statements(body) if isinstance(s, For | While) for r in regions(s)):
        return MOST_TURNS
    return 1 + _aligns(body)


def _aligns(region: Region) -> int:
    return sum(isinstance(s, Align) for s in statements(region))


def hoisted_blocks(module: Module) -> frozenset[int]:
    """The blocks whose nodes run ahead; none of their runs does not."""
    runs = (s for f in module.functions.values() for s in statements(f.body))
    return frozenset(s.block for s in runs if isinstance(s, Run) and s.hoisted)


def once_blocks(module: Module) -> dict[int, int]:
    """The hoisted blocks that depend on one row of a weight and nothing else, and how many rows the
    weight has: nodes of the same row compute the same, so that one serves all instances."""
    found: dict[int, int] = {}
    for run in (s for f in module.functions.values() for s in statements(f.body)):
        if isinstance(run, Run) and run.hoisted and not run.rows and len(run.indices) == 1:
            (table,) = module.blocks[run.block].table_rows
            rows = module.weights[table.param].dims[0].known
            if rows is not None and rows <= _MOST_ROWS:
                found[run.block] = rows
    return found


def regions(stmt: Stmt) -> tuple[Region, ...]:
    """The inner regions of `stmt`, in order."""
    match stmt:
        case If(_, _, then, orelse, _):
            return then, orelse
        case Match(_, _, arms, _):
            return tuple(a.region for a in arms)
        case For() | Map():
            return (stmt.body,)
        case While():
            return stmt.cond, stmt.body
        case _:
            return ()


def with_regions(stmt: Stmt, inner: Sequence[Region]) -> Stmt:
    """`stmt` with other inner regions."""
    match stmt:
        case If():
            return replace(stmt, then=inner[0], orelse=inner[1])
        case Match():
            arms = tuple(replace(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return replace(stmt, arms=arms)
        case For() | Map():
            return replace(stmt, body=inner[0])
        case While():
            return replace(stmt, cond=inner[0], body=inner[1])
        case _:
            return stmt


def statements(region: Region) -> Iterator[Stmt]:
    """Every statement of `region`, nested ones included, outer before inner."""
    for stmt in region.stmts:
        yield stmt
        for sub in regions(stmt):
            yield from statements(sub)


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
    `weights` gives the type of every weight path that a block reads. `blocks` begin with those that
    are hoisted: of the nodes of one depth they run first."""

    datas: Mapping[str, DataDef]
    functions: Mapping[str, Function]
    entry: str
    instance: tuple[Type, ...]
    result: Type
    blocks: tuple[Block, ...]
    weights: Mapping[str, TensorType]
