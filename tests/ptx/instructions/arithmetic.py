"""Arithmetic of integers and floats, logic, shifts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registers import TYPES, Frame, Layout, bits
from ..syntax import Instruction
from .table import Action, Mask, instruction

_INT = "[su](?:16|32|64)"
_DOUBLE = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}


def _unary(i: Instruction, layout: Layout, kind: str, f: Callable[..., Any]) -> Action:
    d, a = layout.write(i, i.operands[0], kind).number, layout.read(i, i.operands[1], kind).number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows[kind]
        f(rows[a], out=rows[d], where=mask)

    return run


def _binary(i: Instruction, layout: Layout, kind: str, f: Callable[..., Any]) -> Action:
    d = layout.write(i, i.operands[0], kind).number
    a, b = (layout.read(i, o, kind).number for o in i.operands[1:])

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows[kind]
        f(rows[a], rows[b], out=rows[d], where=mask)

    return run


@instruction(rf"(?P<op>add|sub)\.(?:rn\.)?(?P<t>{_INT}|f32)")
@instruction(rf"(?P<op>mul)\.lo\.(?P<t>{_INT})")
@instruction(r"(?P<op>mul)\.(?:rn\.)?(?P<t>f32)")
@instruction(r"(?P<op>div)\.(?:rn|full)\.(?P<t>f32)")
@instruction(r"(?P<op>and|or|xor)\.(?P<t>pred|b16|b32|b64)")
@instruction(rf"(?P<op>min|max)\.(?P<t>{_INT})")
@instruction(r"(?P<op>min|max)(?P<nan>\.NaN)?\.(?P<t>f32)")
def binary(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """`div.full` is exact to 2 units in the last place on a GPU; here it is rounded correctly. The
    lesser and the greater of a number and NaN is the number, unless `.NaN` is said."""
    op, kind = match["op"], match["t"]
    functions = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
        "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
        "min": np.fmin, "max": np.fmax,
    }  # fmt: skip
    function: Callable[..., Any] = functions[op]
    if "nan" in match.re.groupindex and match["nan"]:
        function = {"min": np.minimum, "max": np.maximum}[op]
    return _binary(i, layout, kind, function)


@instruction(r"(?P<op>neg|abs)\.(?P<t>s16|s32|s64|f32)")
@instruction(r"(?P<op>not)\.(?P<t>pred|b16|b32|b64)")
@instruction(r"(?P<op>sqrt)\.(?:rn|approx)\.(?P<t>f32)")
def unary(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Of one operand."""
    functions: dict[str, Callable[..., Any]] = {
        "neg": np.negative, "abs": np.absolute, "not": np.invert, "sqrt": np.sqrt,
    }  # fmt: skip
    return _unary(i, layout, match["t"], functions[match["op"]])


@instruction(r"(?P<op>rsqrt|rcp|ex2|lg2)\.approx\.(?P<t>f32)")
def approximate(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Functions that a GPU approximates; here in float64, rounded once."""
    functions: dict[str, Callable[[Any], Any]] = {
        "rsqrt": lambda x: 1 / np.sqrt(x), "rcp": lambda x: 1 / x,
        "ex2": np.exp2, "lg2": np.log2,
    }  # fmt: skip
    function = functions[match["op"]]

    def rounded(x: Any, out: Any, where: Any) -> None:
        np.copyto(out, function(x.astype(np.float64)), casting="unsafe", where=where)

    return _unary(i, layout, match["t"], rounded)


@instruction(r"fma\.rn\.(?P<t>f32)")
def fused(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """In float64, where the product is exact, so that the sum is rounded twice; that shows in the
    last place once in some hundred million."""
    d = layout.write(i, i.operands[0], "f32").number
    a, b, c = (layout.read(i, o, "f32").number for o in i.operands[1:])
    double = np.dtype(np.float64)

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows["f32"]
        product = np.multiply(rows[a], rows[b], dtype=double)
        np.add(product, rows[c], out=rows[d], dtype=double, casting="same_kind", where=mask)

    return run


@instruction(r"(?P<op>mul|mad)\.(?P<part>wide)\.(?P<t>[su](?:16|32))")
@instruction(r"(?P<op>mul|mad)\.(?P<part>hi)\.(?P<t>[su](?:16|32))")
@instruction(r"(?P<op>mad)\.(?P<part>lo)\.(?P<t>[su](?:16|32|64))")
def product(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Products of twice the width: whole, their upper half or their lower half, and a sum."""
    kind, part = match["t"], match["part"]
    wide = kind if part == "lo" else _DOUBLE[kind]
    target = wide if part == "wide" else kind
    d = layout.write(i, i.operands[0], target).number
    a, b = (layout.read(i, o, kind).number for o in i.operands[1:3])
    c = layout.read(i, i.operands[3], target).number if match["op"] == "mad" else None

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows[kind]
        value = np.multiply(rows[a], rows[b], dtype=TYPES[wide])
        if part == "hi":
            value = value >> bits(kind)
        if part != "wide":
            value = value.astype(TYPES[kind])
        if c is not None:
            value = value + frame.rows[target][c]
        np.copyto(frame.rows[target][d], value, where=mask)

    return run


@instruction(r"(?P<op>div|rem)\.(?P<t>[su](?:16|32|64))")
def quotient(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Towards zero, as in C. By zero it is what nobody should use."""
    whole = match["op"] == "div"

    def divide(a: Any, b: Any, out: Any, where: Any) -> None:
        divisor = np.where(b == 0, 1, b)
        size = np.abs(a) // np.abs(divisor)
        found = np.where((a < 0) != (divisor < 0), -size, size)
        np.copyto(out, found if whole else a - found * divisor, casting="unsafe", where=where)

    return _binary(i, layout, match["t"], divide)


@instruction(r"(?P<op>shl|shr)\.(?P<t>[bsu](?:16|32|64))")
def shift(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Shifts by the width or more leave nothing, or the sign."""
    kind, width = match["t"], bits(match["t"])
    d, a = layout.write(i, i.operands[0], kind).number, layout.read(i, i.operands[1], kind).number
    by = layout.read(i, i.operands[2], "u32").number
    left, signed = match["op"] == "shl", kind[0] == "s"

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        x, n = frame.rows[kind][a], frame.rows["u32"][by]
        steps = np.minimum(n, width - 1).astype(x.dtype)
        value = x << steps if left else x >> steps
        if not signed:
            value = np.where(n >= width, 0, value).astype(x.dtype)
        np.copyto(frame.rows[kind][d], value, where=mask)

    return run


@instruction(r"bfe\.(?P<t>s32|u32)")
def bit_field(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """`length` bits from `start` on, with zeros or the field's sign in front. Of a field that
    leaves the word the sign is the word's (PTX ISA, bfe)."""
    kind = match["t"]
    d, a = layout.write(i, i.operands[0], kind).number, layout.read(i, i.operands[1], kind).number
    start, length = (layout.read(i, o, "u32").number for o in i.operands[2:])

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        word = frame.rows["u32"][a].astype(np.int64)
        first = (frame.rows["u32"][start] & 0xFF).astype(np.int64)
        count = (frame.rows["u32"][length] & 0xFF).astype(np.int64)
        kept = np.minimum(count, 33)
        value = (word >> np.minimum(first, 32)) & ((1 << kept) - 1)
        if kind == "s32":
            last = np.minimum(first + count - 1, 31)
            sign = (count > 0) & ((word >> np.maximum(last, 0)) & 1 == 1)
            held = np.clip(32 - first, 0, kept)  # bits of the field that are in the word
            value = np.where(sign, value | (-1 << held), value)
        value = value.astype(np.uint32)
        np.copyto(frame.rows["u32"][d], value, where=mask)

    return run
