"""Right-hand sides: what a `Let` binds variables to. Nodes of the dataflow graph are `Run`s."""

from __future__ import annotations

from dataclasses import dataclass

from ..typed import (
    Atom,
    Call,
    Construct,
    GetField,
    ListOp,
    Narrow,
    NextPhase,
    Parallel,
    Read,
    Scalar,
    Var,
)


@dataclass(frozen=True, slots=True)
class View:
    """The elements of `source` from `start` on, as many as the bound variable has: a handle into
    the same memory; no node, no copy."""

    source: Var
    start: int


@dataclass(frozen=True, slots=True)
class RowOf:
    """`source[index]` along the first axis, with an `index` per instance; a negative one counts
    from the end. A handle into the same memory."""

    source: Var
    index: Atom


@dataclass(frozen=True, slots=True)
class WeightReference:
    """A handle to the weight `param`, placed in the arena like any other tensor: for a weight used
    where instances may have different values (yielded from a branch, stored in data)."""

    param: str


@dataclass(frozen=True, slots=True)
class ScalarReference:
    """A handle to a tensor of rank 0 that holds the number `value`."""

    value: Atom


@dataclass(frozen=True, slots=True)
class Unused:
    """Any value of the variable's type: nothing reads it on the path that makes it."""


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
    | Unused
)
