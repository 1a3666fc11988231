"""The batched IR: control flow around static blocks.

    module ::= datas, functions, entry, blocks
    stmt   ::= let ... | if ... | match ... | for ... | while ... | map ...
                                                       as in the typed IR, but no tensor operation
             | run block(operands...; indices...) -> var, ...    one node of the dataflow graph
             | ghost n                                 advances the depth as n nodes would
    block  ::= inputs; op*; outputs                    straight-line tensor operations

Tensor variables are handles to tensors that are computed later. A handle can be passed around,
returned, stored in data and lists and sliced (`View`, `RowOf`), but only blocks read the tensor
behind it, and `read`, which suspends until it is computed.

A block's inputs are `Gathered` (a handle, a different tensor per instance), `GatheredRow` (a row of
a weight, chosen per instance by an int), `Shared` (a weight, the same for the whole mini-batch).
`Run.operands` gives the handles in the order of the block's `Gathered` inputs, `Run.indices` the
ints in the order of its `GatheredRow` inputs.
"""

from __future__ import annotations

from .blocks import Block, BlockInput, BlockOp, Gathered, GatheredRow, Shared
from .module import Function, Module
from .right_hand_sides import Rhs, RowOf, ScalarReference, Unused, View, WeightReference
from .statements import (
    Align,
    Arm,
    For,
    Ghost,
    If,
    Let,
    Map,
    Mark,
    Match,
    Region,
    Resume,
    Run,
    Stmt,
    While,
)

__all__ = [
    "Align",
    "Arm",
    "Block",
    "BlockInput",
    "BlockOp",
    "For",
    "Function",
    "Gathered",
    "GatheredRow",
    "Ghost",
    "If",
    "Let",
    "Map",
    "Mark",
    "Match",
    "Module",
    "Region",
    "Resume",
    "Rhs",
    "RowOf",
    "Run",
    "ScalarReference",
    "Shared",
    "Stmt",
    "Unused",
    "View",
    "WeightReference",
    "While",
]
