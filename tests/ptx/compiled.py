"""Functions of PTX as the emulator runs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .instructions import Action, build
from .registers import Layout
from .syntax import Function, Instruction


@dataclass(frozen=True, slots=True)
class _Code:
    """A block: its plain instructions, what ends it, and the register that guards that."""

    actions: tuple[Action, ...]
    last: Instruction | None
    ordering: Action | None
    guard: int
    target: int
    size: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """A function whose instructions are actions."""

    function: Function
    layout: Layout
    code: tuple[_Code, ...]


class Program:
    """The functions of a module, each of which is compiled when it is called first."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        # Whether shared memory is accessed by less than a word.
        self.fine = any(
            re.fullmatch(r"(ld|st)\.shared.*\.b(8|16)", i.opcode)
            for f in functions.values() for b in f.blocks for i in b.instructions
        )  # fmt: skip
        self.compiled: dict[str, Compiled] = {}

    def __getitem__(self, name: str) -> Compiled:
        if name not in self.compiled:
            self.compiled[name] = _compile(self.functions[name])
        return self.compiled[name]


def _compile(function: Function) -> Compiled:
    layout = Layout(function)
    code = []
    for block in function.blocks:
        *plain, last = block.instructions or (None,)
        if last is not None and not last.ends_block:
            plain, last = [*plain, last], None
        guard = layout.read(last, last.predicate, "pred").number if last and last.predicate else -1
        target, ordering = -1, None
        if last is not None and last.opcode.split(".")[0] == "bra":
            target = function.labels[last.operands[0]]
        elif last is not None and not _is_control(last):
            ordering = build(last, layout)
        actions = tuple(build(i, layout) for i in plain if i is not None)
        code.append(_Code(actions, last, ordering, guard, target, len(block.instructions)))
    return Compiled(function, layout, tuple(code))


def _is_control(i: Instruction) -> bool:
    return i.opcode.split(".")[0] in ("ret", "exit", "bar", "barrier", "call", "trap")
