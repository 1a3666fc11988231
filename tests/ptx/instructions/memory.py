"""Loads, stores, atomics and asynchronous copies."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registers import Frame, Layout, UnknownInstruction, bits
from ..syntax import Instruction
from .conversion import vector
from .table import Action, Mask, active, instruction

_PLACE = re.compile(r"\[\s*(?P<base>[%\w$]+)\s*(?:\+\s*(?P<offset>-?\d+)\s*)?\]")
_WEAK = r"(?:\.ca|\.cg)?(?:\.L1::evict_(?:first|last))?"
_STRONG = r"(?:\.(?P<order>acquire|relaxed|release))"


def place(i: Instruction, operand: str) -> tuple[str, int]:
    """The base and the bytes behind it of [base + offset]."""
    match = _PLACE.fullmatch(operand)
    if match is None:
        raise UnknownInstruction(f"an address that is not understood, {operand!r}, in: {i}")
    return match["base"], int(match["offset"] or 0)


def address(
    i: Instruction, operand: str, layout: Layout, space: str
) -> Callable[[Frame], np.ndarray]:
    """What computes an address of every thread, in bytes, as int64."""
    base, offset = place(i, operand)
    kind = "u64" if space == "global" or layout.function.registers.get(base) == "b64" else "u32"
    slot = layout.read(i, base, kind).number
    return lambda frame: frame.rows[kind][slot].astype(np.int64) + offset


@instruction(r"ld\.param\.(?P<t>[bsu](?:32|64)|f32)")
def load_parameter(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """A parameter of the function."""
    kind, (name, _) = match["t"], place(i, i.operands[1])
    d = layout.write(i, i.operands[0], kind).number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        np.copyto(
            frame.rows[kind][d], frame.params[name].view(frame.rows[kind][d].dtype), where=mask
        )

    return run


@instruction(r"st\.param\.(?P<t>[bsu](?:32|64)|f32)")
def store_parameter(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """A parameter of a call, for all threads. Its register may be wider."""
    kind, (name, _) = match["t"], place(i, i.operands[0])
    held = layout.function.registers.get(i.operands[1], kind)
    a = layout.read(i, i.operands[1], held).number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        frame.out[name] = frame.rows[held][a].astype(f"u{bits(kind) // 8}")

    return run


@instruction(rf"ld\.global{_WEAK}(?P<nc>\.nc)?(?:\.v(?P<n>[24]))?\.(?P<t>[bsu](?:32|64)|f32)")
@instruction(rf"ld\.global\.gpu{_STRONG}\.(?P<t>[bsu](?:32|64))")
@instruction(rf"ld{_STRONG}\.gpu\.global\.(?P<t>[bsu](?:32|64))")
@instruction(r"ld\.(?P<space>shared)(?:\.v(?P<n>[24]))?\.(?P<t>[bsu](?:32|64)|f32)")
def load(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """From global or shared memory."""
    found = match.groupdict()
    kind, space = found["t"], found.get("space") or "global"
    how = found.get("order") or ("nc" if found.get("nc") else "weak")
    wide = bits(kind) // 32
    names = vector(i.operands[0])
    if len(names) != int(found.get("n") or 1):
        raise UnknownInstruction(f"another number of registers: {i}")
    slots = [layout.write(i, o, kind).number for o in names]
    find, text = address(i, i.operands[1], layout, space), str(i)

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        lanes, rows = active(team, mask), frame.rows[kind]
        at = find(frame)[lanes]
        if space == "shared":
            words = team.shared.load(lanes, at, wide * len(slots), text)
        else:
            words = team.memory.load(team, lanes, at, wide * len(slots), how, text)
        values = words if wide == 1 else join(words)
        for slot, value in zip(slots, values, strict=True):
            rows[slot][lanes] = value.view(rows[slot].dtype)

    return run


@instruction(rf"st\.global{_WEAK}(?:\.v(?P<n>[24]))?\.(?P<t>[bsu](?:32|64)|f32)")
@instruction(r"st\.(?P<space>shared)(?:\.v(?P<n>[24]))?\.(?P<t>[bsu](?:32|64)|f32)")
def store(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """To global or shared memory."""
    found = match.groupdict()
    kind, space = found["t"], found.get("space") or "global"
    names = vector(i.operands[1])
    if len(names) != int(found.get("n") or 1):
        raise UnknownInstruction(f"another number of registers: {i}")
    slots = [layout.read(i, o, kind).number for o in names]
    find, text = address(i, i.operands[0], layout, space), str(i)

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        lanes = active(team, mask)
        values = np.stack([frame.rows[kind][slot][lanes] for slot in slots])
        words = values.view(np.uint32) if bits(kind) == 32 else split(values.view(np.uint64))
        at = find(frame)[lanes]
        if space == "shared":
            team.shared.store(lanes, at, words, text)
        else:
            team.memory.store(team, lanes, at, words, text)

    return run


@instruction(r"(?P<op>ld|st)\.shared(?:\.v(?P<n>[24]))?\.b(?P<width>8|16)")
def short(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Bytes and halves of words in shared memory, in registers of any width; zeros in front."""
    width, loads = int(match["width"]) // 8, match["op"] == "ld"
    registers, at = i.operands if loads else reversed(i.operands)
    names, find, text = vector(registers), address(i, at, layout, "shared"), str(i)
    if len(names) != int(match["n"] or 1):
        raise UnknownInstruction(f"another number of registers: {i}")
    kinds = [layout.function.registers.get(o, "b16") for o in names]
    way = layout.write if loads else layout.read
    slots = [(k, way(i, o, k).number) for k, o in zip(kinds, names, strict=True)]

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        lanes = active(team, mask)
        where = find(frame)[lanes]
        if loads:
            found = team.shared.load(lanes, where, len(slots), text, width)
            for (kind, slot), value in zip(slots, found, strict=True):
                frame.rows[kind][slot][lanes] = value
        else:
            values = np.stack([frame.rows[kind][slot][lanes] for kind, slot in slots])
            team.shared.store(lanes, where, values.astype(f"u{width}"), text)

    return run


def join(words: np.ndarray) -> np.ndarray:
    """[2 n, threads] words of 32 bits as [n, threads] of 64."""
    return np.asarray(words[0::2].astype(np.uint64) | words[1::2].astype(np.uint64) << 32)


def split(values: np.ndarray) -> np.ndarray:
    """The opposite of `join`."""
    words = np.empty((2 * len(values), values.shape[1]), np.uint32)
    words[0::2], words[1::2] = values & 0xFFFFFFFF, values >> 32
    return words


@instruction(r"atom\.global\.gpu\.(?P<order>relaxed|acquire|release|acq_rel)\.add\.u64")
def atomic_add(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """What was there; threads come one after the other."""
    order = match["order"]
    d, a = layout.write(i, i.operands[0], "u64").number, layout.read(i, i.operands[2], "u64").number
    find = address(i, i.operands[1], layout, "global")

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows, at = frame.rows["u64"], find(frame)
        for lane in active(team, mask).tolist():
            rows[d][lane] = team.memory.add(team, lane, int(at[lane]), int(rows[a][lane]), order)

    return run


@instruction(r"cp\.async\.(?:ca|cg)\.shared\.global")
def copy(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Bytes from global to shared memory, there once they have been waited for; behind the source's
    size come zeros."""
    to, source = (
        address(i, o, layout, s) for o, s in zip(i.operands, ("shared", "global"), strict=False)
    )
    size, text = int(i.operands[2], 0), str(i)
    there = layout.read(i, i.operands[3], "u32").number if len(i.operands) > 3 else None

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        lanes = active(team, mask)
        held = np.full(lanes.size, size) if there is None else frame.rows["u32"][there][lanes]
        if not np.isin(held, (0, size)).all():
            raise UnknownInstruction(f"a part of a copy: {text}")
        words = np.zeros((size // 4, lanes.size), np.uint32)
        on = held > 0
        if on.any():
            at = source(frame)[lanes][on]
            words[:, on] = team.memory.load(team, lanes[on], at, size // 4, "weak", text)
        team.shared.copy(lanes, to(frame)[lanes], words, text)

    return run


@instruction(r"cp\.async\.commit_group")
def commit(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Every thread closes its group of copies."""
    return lambda team, frame, mask: team.shared.commit(active(team, mask))


@instruction(r"cp\.async\.(?:wait_group|(?P<all>wait_all))")
def wait(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Every thread waits for its copies, but for those of its last n groups."""
    pending = -1 if match["all"] else int(i.operands[0])
    return lambda team, frame, mask: team.shared.wait(active(team, mask), pending)
