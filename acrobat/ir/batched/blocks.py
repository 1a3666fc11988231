"""Static blocks and what they read."""

from __future__ import annotations

from dataclasses import dataclass

from ..span import NOWHERE, Span
from ..typed import (
    Op,
    Var,
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A tensor of each instance's own, read through a handle: a batch gathers them through their
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
