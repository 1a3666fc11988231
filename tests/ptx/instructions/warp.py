"""What the threads of a warp do together: shuffles, matrices of 8 x 8 from and to shared memory,
products on tensor cores."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..registers import Frame, Layout, UnknownInstruction
from ..syntax import Instruction
from .conversion import from_bfloat16, vector
from .memory import address
from .table import Action, Mask, active, instruction

WARP = 32


def whole_warps(team: Any, mask: Mask, i: Instruction) -> np.ndarray:
    """The threads under a mask as [warps, 32]; all threads of a warp must be there."""
    lanes = active(team, mask)
    if (
        lanes.size % WARP
        or (lanes.reshape(-1, WARP) != lanes[::WARP, None] + np.arange(WARP)).any()
    ):
        team.problem("a part of a warp", str(i))
        lanes = np.unique(lanes // WARP)[:, None] * WARP + np.arange(WARP)
    return lanes.reshape(-1, WARP)


@instruction(r"bar\.warp\.sync")
def warp_barrier(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Nothing: a warp runs as one here."""
    return lambda team, frame, mask: None


@instruction(r"shfl\.sync\.(?P<how>bfly|idx|up|down)\.b32")
def shuffle(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Every thread reads a register of another one in its warp."""
    how = match["how"]
    d, *in_range = i.operands[0].split("|")
    if i.operands[3:] not in (("31", "-1"), ("0", "-1")) or in_range:
        raise UnknownInstruction(f"a shuffle within parts of a warp: {i}")
    to, a = layout.write(i, d, "b32").number, layout.read(i, i.operands[1], "b32").number
    by = layout.read(i, i.operands[2], "u32").number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows, threads = frame.rows["b32"], whole_warps(team, mask, i)
        own, step = np.arange(WARP), frame.rows["u32"][by][threads].astype(np.int64)
        source = {"bfly": own ^ step, "idx": step % WARP, "up": own - step, "down": own + step}[how]
        source = np.where((source < 0) | (source >= WARP), own, source)
        rows[to][threads] = np.take_along_axis(rows[a][threads], source, 1)

    return run


@instruction(r"redux\.sync\.(?P<op>min|max|add)\.(?P<t>s32|u32)")
@instruction(r"redux\.sync\.(?P<op>and|or|xor)\.(?P<t>b32)")
def reduce(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """One value of all threads of a warp, for each of them."""
    functions: dict[str, np.ufunc] = {
        "min": np.minimum, "max": np.maximum, "add": np.add,
        "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    }  # fmt: skip
    function, kind = functions[match["op"]], match["t"]
    d, a = layout.write(i, i.operands[0], kind).number, layout.read(i, i.operands[1], kind).number
    members = layout.read(i, i.operands[2], "s32").number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows, threads = frame.rows[kind], whole_warps(team, mask, i)
        if (frame.rows["s32"][members][threads] != -1).any():
            raise UnknownInstruction(f"a part of a warp: {i}")
        total = function.reduce(rows[a][threads], axis=1, dtype=rows[a].dtype)
        rows[d][threads] = total[:, None]

    return run


@instruction(r"(?P<op>ldmatrix|stmatrix)\.sync\.aligned\.m8n8\.x(?P<n>[124])(?P<t>\.trans)?"
             r"\.shared\.b16")  # fmt: skip
def matrix(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """`n` matrices of 8 rows of 16 bytes, whose addresses are those of 8 threads each; thread t
    has two neighbours of row t / 4, or with `.trans` of column t / 4."""
    n, load, turned = int(match["n"]), match["op"] == "ldmatrix", bool(match["t"])
    registers, place = i.operands if load else reversed(i.operands)
    find = address(i, place, layout, "shared")
    names = vector(registers)
    if (turned and not load) or len(names) != n:
        raise UnknownInstruction(f"a form that is not known: {i}")
    slots = [(layout.write if load else layout.read)(i, o, "b32").number for o in names]
    own = np.arange(WARP)

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows, threads = frame.rows["b32"], whole_warps(team, mask, i)
        lanes, begin = threads.ravel(), find(frame)[threads]
        team.shared.aligned(begin[:, : 8 * n], 16, str(i))
        for m, slot in enumerate(slots):
            if turned:
                # Two neighbours of a column are the same half of words of two rows.
                both = []
                for row in (2 * (own % 4), 2 * (own % 4) + 1):
                    at = begin[:, 8 * m + row] + 4 * (own // 8)
                    word = team.shared.load(lanes, at.ravel(), 1, str(i))[0].reshape(-1, WARP)
                    both.append(np.where(own // 4 % 2, word >> 16, word & 0xFFFF))
                rows[slot][threads] = both[0] | both[1] << 16
                continue
            at = (begin[:, 8 * m + own // 4] + 4 * (own % 4)).ravel()
            if load:
                rows[slot][lanes] = team.shared.load(lanes, at, 1, str(i))[0]
            else:
                team.shared.store(lanes, at, rows[slot][lanes][None], str(i))

    return run


@instruction(
    r"mma\.sync\.aligned\.m16n8k(?P<k>4|8|16)\.row\.col\.f32\.(?P<t>tf32|bf16)\.(?P=t)\.f32"
)
def multiply(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """D = A B + C with A [16, k], B [k, 8], in float32; a thread has the elements that the PTX ISA
    gives it (Matrix Fragments for mma.m16n8k*)."""
    k, short = int(match["k"]), match["t"] == "bf16"
    groups = [vector(o) for o in i.operands]
    if [len(g) for g in groups] != [4, k // 4 if short else k // 2, k // 8 if short else k // 4, 4]:
        raise UnknownInstruction(f"another number of registers: {i}")
    d = [layout.write(i, o, "f32").number for o in groups[0]]
    a, b = ([layout.read(i, o, "b32").number for o in g] for g in groups[1:3])
    c = [layout.read(i, o, "f32").number for o in groups[3]]
    group, place = np.arange(WARP) // 4, np.arange(WARP) % 4

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        threads, words = whole_warps(team, mask, i), frame.rows["b32"]
        left = np.zeros((len(threads), 16, k), np.float32)
        right = np.zeros((len(threads), k, 8), np.float32)
        for n, slot in enumerate(a):
            row, word = group + 8 * (n % 2), words[slot][threads]
            for half, column, value in _elements(word, place, n // 2, short):
                left[:, row, column + half] = value
        for n, slot in enumerate(b):
            for half, row, value in _elements(words[slot][threads], place, n, short):
                right[:, row + half, group] = value
        product = left.astype(np.float64) @ right.astype(np.float64)
        rows = frame.rows["f32"]
        added = [rows[slot][threads].astype(np.float64) for slot in c]
        for n, slot in enumerate(d):
            row, column = group + 8 * (n // 2), 2 * place + n % 2
            rows[slot][threads] = (product[:, row, column] + added[n]).astype(np.float32)

    return run


def _elements(
    word: np.ndarray, place: np.ndarray, n: int, short: bool
) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """The elements in the n-th word of an operand's row: which of two, the first one's number,
    values. tf32 takes the upper 19 bits."""
    if not short:
        return [(0, place + 4 * n, (word & np.uint32(0xFFFFE000)).view(np.float32))]
    first = 2 * place + 8 * n
    halves = (word & 0xFFFF).astype(np.uint16), (word >> 16).astype(np.uint16)
    return [(h, first, from_bfloat16(half)) for h, half in enumerate(halves)]
