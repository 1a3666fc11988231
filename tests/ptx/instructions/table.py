"""The table of instructions: patterns of opcodes, and what builds the action of such an one.

An action is called with the team of threads, the frame of their registers, and a mask: True, or a
truth value per thread. An opcode that no pattern matches as a whole, modifiers included, is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registers import Frame, Layout, UnknownInstruction
from ..syntax import Instruction

Mask = Any  # True, or an array of truth values: what numpy takes as `where`
Action = Callable[[Any, Frame, Mask], None]
Builder = Callable[[re.Match[str], Instruction, Layout], Action]

TABLE: list[tuple[re.Pattern[str], Builder]] = []


def instruction(pattern: str) -> Callable[[Builder], Builder]:
    """Enter a builder for the opcodes that match `pattern`."""

    def enter(builder: Builder) -> Builder:
        TABLE.append((re.compile(pattern), builder))
        return builder

    return enter


def entry(opcode: str) -> int:
    """The number of the entry that an opcode is built by; -1: none."""
    return next((n for n, (p, _) in enumerate(TABLE) if p.fullmatch(opcode)), -1)


def build(i: Instruction, layout: Layout) -> Action:
    """The action of an instruction. UnknownInstruction names one that has no meaning here."""
    number = entry(i.opcode)
    if number < 0:
        raise UnknownInstruction(f"no meaning for {i.opcode!r}, in: {i}")
    pattern, builder = TABLE[number]
    match = pattern.fullmatch(i.opcode)
    assert match is not None
    action = builder(match, i, layout)
    if not i.predicate:
        return action
    guard, negated = layout.read(i, i.predicate, "pred").number, i.negated

    def guarded(team: Any, frame: Frame, mask: Mask) -> None:
        on = frame.rows["pred"][guard]
        on = (~on if negated else on) & mask
        if on.all():
            action(team, frame, True)
        elif on.any():
            action(team, frame, on)

    return guarded


def active(team: Any, mask: Mask) -> np.ndarray:
    """The numbers of the threads under a mask."""
    lanes: np.ndarray = team.lanes if mask is True else np.flatnonzero(mask)
    return lanes
