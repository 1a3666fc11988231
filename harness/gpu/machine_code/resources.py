"""The resources and instruction mix of machine code: a table of its routines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tabulate import tabulate

from .disassembly import Instruction, Routine

_SPILL = ("LDL", "STL")
_PRODUCTS = ("FFMA", "HMMA", "IMMA", "HGMMA")


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """The limits of a multiprocessor (CUDA C++ Programming Guide, technical specifications): warps,
    thread blocks, and bytes of shared memory, of which each block reserves another 1024."""

    warps: int
    blocks: int
    shared: int

    def resident(self, registers: int, shared: int, warps: int) -> int:
        """How many thread blocks fit at once. Registers are allocated per warp in units of 256."""
        of_warp = -(-32 * registers // 256) * 256
        by_registers = 65536 // of_warp // warps
        by_shared = self.shared // (shared + 1024)
        return min(self.warps // warps, self.blocks, by_registers, by_shared)


MULTIPROCESSORS = {
    80: Multiprocessor(64, 32, 164 << 10),
    86: Multiprocessor(48, 16, 100 << 10),
    90: Multiprocessor(64, 32, 228 << 10),
}


@dataclass(frozen=True, slots=True)
class Loop:
    """The innermost loop of a routine with the most products."""

    instructions: int
    products: int
    cta_barriers: int
    copies: str
    spills: int

    @property
    def share(self) -> float:
        """The share of products among its instructions."""
        return self.products / self.instructions


def heaviest(routine: Routine) -> Loop | None:
    """The innermost loop with the most products; None if no loop contains products."""
    found: list[Loop] = []
    for loop in routine.innermost(_PRODUCTS):
        code = [routine.code[n] for n in loop]
        products = sum(i.base in _PRODUCTS for i in code)
        cta_barriers = sum(i.base == "BAR" for i in code)
        spills = sum(i.base in _SPILL for i in code)
        found.append(Loop(len(code), products, cta_barriers, copies(code), spills))
    best = max(found, key=lambda one: one.products, default=None)
    return best if best is not None and best.products else None


def copies(code: list[Instruction]) -> str:
    """The asynchronous copies to shared memory: their number for each width in bytes."""
    widths = Counter(
        16 if ".128" in i.opcode else 8 if ".64" in i.opcode else 4
        for i in code
        if i.base == "LDGSTS"
    )
    return ", ".join(f"{n} of {width} B" for width, n in sorted(widths.items(), reverse=True))


def read_only(routine: Routine) -> list[Instruction]:
    """The loads through the read-only cache, which an acquire does not invalidate."""
    return [i for i in routine.code if i.base in ("LDG", "LD") and "CONSTANT" in i.opcode]


def table(routines: list[Routine]) -> str:
    """A table with a line for each routine."""
    rows = []
    for routine in routines:
        loop, counts = heaviest(routine), Counter(i.base for i in routine.code)
        rows.append(
            [
                routine.name,
                len(routine.code),
                counts["BAR"],
                sum(counts[s] for s in _SPILL),
                loop.instructions if loop else "",
                f"{loop.share:.2f}" if loop else "",
                loop.cta_barriers if loop else "",
                loop.spills if loop else "",
                loop.copies if loop else "",
            ]
        )
    headers = ["routine", "instructions", "CTA barriers", "spills",
               "main loop", "products", "CTA barriers", "spills", "copies"]  # fmt: skip
    # Names are text even if they look like numbers.
    return tabulate(rows, headers, tablefmt="presto", disable_numparse=[0, 5, 8])


def grid_barrier(routines: list[Routine]) -> tuple[list[str], list[str]]:
    """The grid barrier of a persistent kernel: the opcodes by which a program arrives and polls.
    The arrival extends from the preceding CTA barrier to the atomic addition; the poll extends from
    the CTA barrier before the polling load to the point where the threads read its result, a 64-bit
    word. Branches, registers and other work moved there are left out. ValueError unless all
    routines poll alike."""
    [arrival] = [_kept(r.code, at, at) for r in routines for at in _all(r, ("RED", "REDG"))]
    polls = {tuple(_poll(r.code, at)) for r in routines for at in _all(r, ("LDG",))}
    [poll] = polls
    return arrival, list(poll)


def loads_before_polls(routine: Routine) -> int:
    """The number of loads that a step has in flight while it waits for the other programs."""
    [poll] = _all(routine, ("LDG",))
    return sum(i.base == "LDG" for i in routine.code[:poll])


_ORDER = ("BAR", "MEMBAR", "ERRBAR", "CGAERRBAR", "RED", "REDG", "CCTL", "LDG")


def _all(routine: Routine, bases: tuple[str, ...]) -> list[int]:
    code = enumerate(routine.code)
    return [n for n, i in code if i.base in bases and "STRONG" in i.opcode]


def _kept(code: list[Instruction], at: int, end: int) -> list[str]:
    begin = max(n for n in range(at) if code[n].base == "BAR")
    found = code[begin : end + 1]
    return [i.opcode for i in found if i.base in _ORDER or i.opcode in ("STS.64", "LDS.64")]


def _poll(code: list[Instruction], at: int) -> list[str]:
    end = min(n for n in range(at, len(code)) if code[n].opcode == "LDS.64")
    return [o for o in _kept(code, at, end) if not o.startswith("LDG") or "STRONG" in o]
