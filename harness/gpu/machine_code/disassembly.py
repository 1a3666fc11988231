"""Machine code (SASS) as text: routines, their instructions and loops, from the disassembler that
comes with Triton."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import triton

TOOLS = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
_LINE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
_LABEL = re.compile(r"([.$]?[\w$.]+):")
_TARGET = re.compile(r"`\((\S+)\)")
# The name of a step of a persistent kernel, without Triton's additions to it.
_STEP = re.compile(r"\$_(?:step_)?(?P<name>\w+?)__(?:P|i)")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: its guard, such as "@!P0", or ""; its opcode and operands."""

    guard: str
    opcode: str
    operands: str

    @property
    def base(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.split(".")[0]

    @property
    def target(self) -> str:
        """The label that a branch goes to, or ""."""
        found = _TARGET.search(self.operands) if self.base == "BRA" else None
        return found[1] if found else ""

    def __str__(self) -> str:
        return f"{self.guard} {self.opcode} {self.operands}".strip()


@dataclass(slots=True)
class Routine:
    """A kernel's entry point, or a function that it calls."""

    name: str
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def loops(self) -> list[range]:
        """The instructions of each loop: those from the target of a backward branch to the branch.
        A branch to itself, which ends a routine, is not a loop."""
        found = []
        for at, i in enumerate(self.code):
            begin = self.labels.get(i.target, at) if i.target else at
            if begin < at:
                found.append(range(begin, at + 1))
        return found

    def innermost(self, bases: tuple[str, ...] = ()) -> list[range]:
        """The innermost loops. If `bases` are given, only loops that contain one of these
        instructions are considered."""
        loops = [
            loop
            for loop in self.loops()
            if not bases or any(self.code[n].base in bases for n in loop)
        ]

        def holds(a: range, b: range) -> bool:
            return a != b and a[0] <= b[0] and b[-1] <= a[-1]

        return [a for a in loops if not any(holds(a, b) for b in loops)]


def disassemble(cubin: Path) -> list[Routine]:
    """The routines of a cubin, by name."""
    done = subprocess.run(
        [TOOLS / "nvdisasm", "-c", "-ndf", cubin], capture_output=True, text=True, check=True
    )
    return sorted(_routines(done.stdout), key=lambda r: r.name)


def _routines(text: str) -> Iterator[Routine]:
    routine: Routine | None = None
    for line in text.splitlines():
        if found := _LINE.match(line):
            assert routine is not None, line
            if found[2] != "NOP":  # padding of a section
                routine.code.append(Instruction(found[1] or "", found[2], found[3]))
        elif label := _LABEL.fullmatch(line.strip()):
            if label[1].startswith(".L_") and routine is not None:
                routine.labels[label[1]] = len(routine.code)
            elif label[1].startswith((".text.", "$")):
                if routine is not None:
                    yield routine
                step = _STEP.search(label[1])
                routine = Routine(step["name"] if step else label[1].removeprefix(".text."))
    if routine is not None:
        yield routine


def registers(cubin: Path) -> int:
    """The number of registers per thread: the maximum over the functions of a cubin."""
    done = subprocess.run(
        [TOOLS / "cuobjdump", "-res-usage", cubin], capture_output=True, text=True, check=True
    )
    return max(int(n) for n in re.findall(r"REG:(\d+)", done.stdout))
