"""The layout of a compiled recursion before C++ is generated: the purpose of every block, and the
offsets of states."""

from __future__ import annotations

from dataclasses import dataclass

from .cells import Cell


@dataclass(frozen=True, slots=True)
class Message:
    """The messages that one child computes for its parent: by `block` (-1: none), from the child's
    states with the numbers `operands`; message m lies at `outputs[m]` in the block's record."""

    block: int
    operands: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """The layout of a `TreeRecursion`. Blocks are numbers (-1: none), states are offsets in floats
    from the beginning of a record. `node_operands` has (child, whether a message, number) per
    operand."""

    node_tag: int
    leaf_field: int
    child_fields: tuple[int, ...]
    leaf: Cell
    leaf_block: int
    leaf_states: tuple[int, ...]
    node_block: int
    node_states: tuple[int, ...]
    node_operands: tuple[tuple[int, bool, int], ...]
    messages: tuple[Message, ...]
    root_states: tuple[int, ...]
    unroll: int


@dataclass(frozen=True, slots=True)
class StepLayout:
    """The layout of one direction of a `SequenceRecursion`. `input_block` (-1: none) is computed
    for every item; its output k lies at `inputs[k]`. `operands` has (whether an input, number) per
    operand of the step; operands that are not inputs are states, which lie at `states`.
    `step_tables` and `input_tables` say which of the cell's gathered rows a block reads. `starts`
    are the weights that hold the states before the first item."""

    cell: Cell
    reversed: bool
    block: int
    states: tuple[int, ...]
    operands: tuple[tuple[bool, int], ...]
    step_tables: tuple[int, ...]
    input_block: int
    inputs: tuple[int, ...]
    input_tables: tuple[int, ...]
    starts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SequenceLayout:
    """The layout of a `SequenceRecursion`. `output_operands` has (direction, state) per operand."""

    steps: tuple[StepLayout, ...]
    output_block: int
    output_operands: tuple[tuple[int, int], ...]
    output_at: int
    unroll: int
