"""Moves and conversions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registers import TYPES, Frame, Layout, UnknownInstruction, bits
from ..syntax import Instruction
from .table import Action, Mask, instruction

_ROUND: dict[str, Callable[..., Any]] = {
    "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc, "rni": np.rint,
}  # fmt: skip


def vector(operand: str) -> list[str]:
    """The registers of {%r1, %r2}, or the one that stands alone."""
    return [part.strip() for part in operand.strip("{} ").split(",")]


@instruction(r"mov\.(?P<t>pred|[bsu](?:16|32|64)|f32|f64)")
def move(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """A register or a number; two halves to a whole, or a whole to its halves."""
    kind, (to, source) = match["t"], i.operands
    if to.startswith("{") or source.startswith("{"):
        return _halves(i, layout, kind, to, source)
    if kind == "pred":
        kinds, read = "pred", source if source.startswith("%") else str(int(int(source, 0) != 0))
    else:
        kinds, read = kind, source
    d, a = layout.write(i, to, kinds).number, layout.read(i, read, kinds).number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows[kind]
        np.copyto(rows[d], rows[a], where=mask)

    return run


def _halves(i: Instruction, layout: Layout, kind: str, to: str, source: str) -> Action:
    width = bits(kind)
    half, whole = f"b{width // 2}", f"b{width}"
    if source.startswith("{"):
        low, high = (layout.read(i, o, half).number for o in vector(source))
        d = layout.write(i, to, whole).number

        def join(team: Any, frame: Frame, mask: Mask) -> None:
            rows, out = frame.rows[half], frame.rows[whole][d]
            upper = rows[high].astype(out.dtype) << (width // 2)
            np.copyto(out, rows[low].astype(out.dtype) | upper, where=mask)

        return join
    first, second = (layout.write(i, o, half).number for o in vector(to))
    a = layout.read(i, source, whole).number

    def part(team: Any, frame: Frame, mask: Mask) -> None:
        rows, value = frame.rows[half], frame.rows[whole][a]
        upper = value >> (width // 2)
        np.copyto(rows[first], value, casting="unsafe", where=mask)
        np.copyto(rows[second], upper, casting="unsafe", where=mask)

    return part


@instruction(r"cvta\.to\.global\.u64")
def to_global(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Addresses are global ones already."""
    d, a = layout.write(i, i.operands[0], "u64").number, layout.read(i, i.operands[1], "u64").number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows["u64"]
        np.copyto(rows[d], rows[a], where=mask)

    return run


@instruction(r"cvt\.(?P<to>[su](?:16|32|64))\.(?P<t>[su](?:16|32|64))")
@instruction(r"cvt\.rn\.(?P<to>f32)\.(?P<t>[su](?:16|32|64))")
def convert_integer(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Integers to integers, modulo the width, and to floats, rounded to nearest."""
    kind, to = match["t"], match["to"]
    d, a = layout.write(i, i.operands[0], to).number, layout.read(i, i.operands[1], kind).number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        np.copyto(frame.rows[to][d], frame.rows[kind][a], casting="unsafe", where=mask)

    return run


@instruction(r"cvt\.(?P<how>rmi|rpi|rzi|rni)(?P<ftz>\.ftz)?\.(?P<to>f32|s32|u32)\.f32")
def convert_float(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Floats to whole numbers, as floats or integers; the latter saturate, and NaN is 0. With
    `.ftz` a subnormal operand is 0."""
    to, rounded = match["to"], _ROUND[match["how"]]
    d, a = layout.write(i, i.operands[0], to).number, layout.read(i, i.operands[1], "f32").number
    flush = bool(match["ftz"])

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        x = frame.rows["f32"][a]
        if flush:
            x = np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)
        value = rounded(x)
        if to != "f32":
            limits = np.iinfo(TYPES[to])
            exact = np.nan_to_num(value.astype(np.float64), nan=0.0)
            value = np.clip(exact, limits.min, limits.max).astype(np.int64)
        np.copyto(frame.rows[to][d], value, casting="unsafe", where=mask)

    return run


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """The bits of float32s as bfloat16, rounded to nearest, ties to even; every NaN is 0x7FFF."""
    word = x.view(np.uint32).astype(np.uint64)
    rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
    return np.where(np.isnan(x), 0x7FFF, rounded).astype(np.uint16)


def from_bfloat16(x: np.ndarray) -> np.ndarray:
    """The float32s of bfloat16 bits."""
    return np.asarray((x.astype(np.uint32) << 16).view(np.float32))


@instruction(r"cvt\.rn\.(?P<to>bf16|bf16x2)\.f32")
@instruction(r"cvt\.(?P<to>f32)\.bf16")
@instruction(r"cvt\.(?:rna|rn)\.(?P<to>tf32)\.f32")
def convert_short(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Short floats. Of two the first is the upper half; tf32 has ten bits of mantissa, rounded
    away from zero in ties."""
    to = match["to"]
    kind = {"tf32": "b32", "bf16x2": "b32"}.get(to, to)
    source = "bf16" if to == "f32" else "f32"
    d = layout.write(i, i.operands[0], kind).number
    sources = [layout.read(i, o, source).number for o in i.operands[1:]]
    if len(sources) != (2 if to == "bf16x2" else 1):
        raise UnknownInstruction(f"{len(sources)} operands to convert, in: {i}")

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        first, *rest = (frame.rows[source][s] for s in sources)
        if to == "bf16":
            value = to_bfloat16(first)
        elif to == "bf16x2":
            value = to_bfloat16(first).astype(np.uint32) << 16 | to_bfloat16(rest[0])
        elif to == "tf32":
            value = (first.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
        else:
            value = from_bfloat16(first)
        np.copyto(frame.rows[kind][d], value, where=mask)

    return run
