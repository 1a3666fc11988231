"""The models as a user of a Cortex-like compiler declares them: a recursion over a data structure
whose shape is known before anything is computed (Fegade et al., "Cortex: A Compiler for Recursive
Deep Learning Models", MLSys 2021, section 3, the Recursive API).

A declaration names the structure and, for every kind of node, the operations that compute its state
from the states of its children. The operations are the workload's own cells, so the arithmetic is
the same as in the other systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops
from workloads import birnn, mvrnn, treelstm

Model = Any  # an @ab.model function


@dataclass(frozen=True, slots=True)
class TreeRecursion:
    """A recursion over trees of leaves, which hold an int, and nodes with a fixed number of
    children.

    `leaf(params, number) -> state`, `node(params, *state of child 0, *state of child 1, ...) ->
    state`. An instance's results are the states `result` of its root.
    """

    leaf_type: type
    leaf_field: str
    leaf: Model
    node_type: type
    children: tuple[str, ...]
    node: Model
    result: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Direction:
    """A pass along a list of ints: `step(params, number, *state) -> state`, starting with zeros."""

    step: Model
    reversed: bool


@dataclass(frozen=True, slots=True)
class SequenceRecursion:
    """Directions along a list of ints, then `output(params, *state of each direction)` for every
    item. An instance's result is the list of outputs."""

    directions: tuple[Direction, ...]
    output: Model


Recursion = TreeRecursion | SequenceRecursion


@ab.model
def lstm_leaf(p: treelstm.TreeLSTM, word: int) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    return treelstm.leaf_cell(p, p.emb[word])


@ab.model
def lstm_node(
    p: treelstm.TreeLSTM,
    h_l: Float32[Tensor, "H"],
    c_l: Float32[Tensor, "H"],
    h_r: Float32[Tensor, "H"],
    c_r: Float32[Tensor, "H"],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    return treelstm.node_cell(p, (h_l, c_l), (h_r, c_r))


@ab.model
def matrix_leaf(p: mvrnn.MVRNN, word: int) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]]:
    return p.vectors[word], p.matrices[word % 256]


@ab.model
def matrix_node(
    p: mvrnn.MVRNN,
    a: Float32[Tensor, "H"],
    a_matrix: Float32[Tensor, "H H"],
    b: Float32[Tensor, "H"],
    b_matrix: Float32[Tensor, "H H"],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H H"]]:
    return mvrnn.compose(p, (a, a_matrix), (b, b_matrix))


@ab.model
def vanilla(
    d: birnn.Direction, x: Float32[Tensor, "H"], h: Float32[Tensor, "H"]
) -> Float32[Tensor, "H"]:
    return ops.tanh(x @ d.w + h @ d.u + d.b)


@ab.model
def forward_step(p: birnn.BiRNN, word: int, h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return vanilla(p.forward, p.emb[word], h)


@ab.model
def backward_step(p: birnn.BiRNN, word: int, h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return vanilla(p.backward, p.emb[word], h)


RECURSIONS: dict[str, Recursion] = {
    "treelstm": TreeRecursion(
        leaf_type=treelstm.Leaf,
        leaf_field="word",
        leaf=lstm_leaf,
        node_type=treelstm.Node,
        children=("left", "right"),
        node=lstm_node,
        result=(0, 1),
    ),
    "mvrnn": TreeRecursion(
        leaf_type=treelstm.Leaf,
        leaf_field="word",
        leaf=matrix_leaf,
        node_type=treelstm.Node,
        children=("left", "right"),
        node=matrix_node,
        result=(0,),
    ),
    "birnn": SequenceRecursion(
        directions=(Direction(forward_step, False), Direction(backward_step, True)),
        output=birnn.classify,
    ),
}

# Why the other workloads cannot be declared.
_DECIDES = "what is computed next depends on the values of tensors, so there is no shape to lay out"
REASONS: dict[str, str] = {
    "treelstm_childsum": "a node has any number of children, and the compiler has recursions with "
    "a fixed number only",
    "nestedrnn": "a recursion over sentences runs inside of one over documents; the compiler has "
    "one recursion over one data structure",
    "drnn": _DECIDES,
    "berxit": _DECIDES,
    "stackrnn": _DECIDES,
}
