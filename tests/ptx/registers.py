"""The registers of a function for all threads that run it side by side.

A register is a row of a matrix, [registers, threads]; rows are seen under every type of their
width, so that an instruction is an operation of numpy from rows to a row. Immediate operands and
special registers are rows that nobody writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .syntax import Function, Instruction

# How a type of PTX is seen, and how wide it is. bf16 has no type in numpy: its bits.
TYPES = {
    "pred": np.bool_,
    "b16": np.uint16, "u16": np.uint16, "s16": np.int16, "bf16": np.uint16, "f16": np.float16,
    "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "f32": np.float32,
    "b64": np.uint64, "u64": np.uint64, "s64": np.int64, "f64": np.float64,
    "bf16x2": np.uint32,
}  # fmt: skip
_POISON = 0x7FC0DEAD7FC0DEAD  # what a register holds before it is written: quiet NaNs
SPECIAL = ("%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%ctaid.y", "%ctaid.z",
           "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid")  # fmt: skip
_HEX = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")

Row = np.ndarray


class UnknownInstruction(Exception):
    """An instruction, or an operand of one, that the emulator has no meaning for."""


def bits(kind: str) -> int:
    """The width of a type; 1 of a predicate."""
    return 1 if kind == "pred" else 8 * np.dtype(TYPES[kind]).itemsize


@dataclass(frozen=True, slots=True)
class Slot:
    """A row: of which width, the number of its register."""

    width: int
    number: int


class Layout:
    """Where the registers and immediate operands of a function are. Complete when all of its
    instructions have asked."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.slots: dict[str, Slot] = {}
        self.constants: dict[Slot, int] = {}
        self.special: dict[str, Slot] = {}
        self.sizes = {1: 0, 16: 0, 32: 0, 64: 0}
        for name, kind in function.registers.items():
            self.slots[name] = self._new(bits(kind))

    def _new(self, width: int) -> Slot:
        self.sizes[width] += 1
        return Slot(width, self.sizes[width] - 1)

    def read(self, i: Instruction, operand: str, kind: str) -> Slot:
        """The row of an operand that is read as `kind`."""
        width = max(bits(kind), 16) if kind != "pred" else 1
        if operand in self.slots:
            return self._checked(i, operand, width)
        if operand in SPECIAL:
            if operand not in self.special:
                self.special[operand] = self._new(32)
            return self.special[operand]
        key = f"{operand}:{width}"
        if key not in self.slots:
            value = self._immediate(i, operand, kind)
            self.slots[key] = self._new(width)
            self.constants[self.slots[key]] = value & ((1 << width) - 1)
        return self.slots[key]

    def write(self, i: Instruction, operand: str, kind: str) -> Slot:
        """The row of a register that is written as `kind`."""
        if operand == "_":
            return self.slots.setdefault("_:" + kind, self._new(max(bits(kind), 16)))
        if operand not in self.slots:
            raise UnknownInstruction(f"{operand!r} is not a register, in: {i}")
        return self._checked(i, operand, 1 if kind == "pred" else max(bits(kind), 16))

    def _checked(self, i: Instruction, operand: str, width: int) -> Slot:
        slot = self.slots[operand]
        if slot.width != width:
            raise UnknownInstruction(f"{operand} has {slot.width} bits, not {width}, in: {i}")
        return slot

    def _immediate(self, i: Instruction, operand: str, kind: str) -> int:
        if operand == "global_smem":
            return 0
        if match := _HEX.fullmatch(operand):
            return int(match[1] or match[2], 16)
        try:
            return int(operand, 0)
        except ValueError:
            raise UnknownInstruction(f"operand {operand!r} has no meaning, in: {i}") from None


class Frame:
    """Registers of one call, for `threads` threads. `rows[kind][slot.number]`: under a type."""

    def __init__(self, layout: Layout, threads: int, special: dict[str, Row]) -> None:
        self.rows: dict[str, Sequence[Row]] = {}
        for width, count in layout.sizes.items():
            kinds = [k for k in TYPES if bits(k) == width]
            store: np.ndarray = np.empty((count, threads), TYPES[kinds[0]])
            store[:] = True if width == 1 else _POISON & ((1 << width) - 1)
            for slot, value in layout.constants.items():
                if slot.width == width:
                    store[slot.number] = value
            for name, slot in layout.special.items():
                if slot.width == width:
                    store[slot.number] = special[name]
            for kind in kinds:
                self.rows[kind] = list(store.view(TYPES[kind]))
        self.params: dict[str, Row] = {}
        self.out: dict[str, Row] = {}
