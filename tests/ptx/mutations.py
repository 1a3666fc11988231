"""Broken versions of a persistent kernel, each with one mistake in its synchronisation, and whether
the emulator notices.

A launch that was recorded is run again with the broken text, several times with other
interleavings. It is noticed if something races, waits for ever, leaves memory, or leaves other
values than the right text left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .compiled import Program
from .emulated import Recorded
from .execution import Report, Stuck, launch_cooperatively
from .shared_memory import Fault
from .syntax import Function, parse

_ADD, _POLL = "atom.global.gpu.release.add.u64", "ld.global.gpu.acquire.b64"


@dataclass(frozen=True, slots=True)
class Mutation:
    """`what` is wrong with `text`. If an instruction is missing: the function, and its number among
    those of its opcode there."""

    what: str
    text: str
    function: str = ""
    opcode: str = ""
    number: int = 0

    @property
    def where(self) -> str:
        """The place, for people."""
        return f"{re.sub(r'^.*_[$]_(step_)?|__P.*$', '', self.function)} #{self.number + 1}"

    def ran(self, functions: Mapping[str, Function], report: Report) -> bool:
        """Whether the instruction that is missing here runs in a launch of the right text."""
        blocks = enumerate(functions[self.function].blocks)
        at = [n for n, b in blocks for i in b.instructions if i.opcode == self.opcode]
        return (self.function, at[self.number]) in report.blocks


@dataclass(frozen=True, slots=True)
class Outcome:
    """In how many of `runs` runs a mutation was noticed, and by what."""

    runs: int
    noticed: int
    by: Counter[str]


def mutations_of_order(text: str) -> Iterator[Mutation]:
    """The grid barrier with less order than it needs."""
    assert _ADD in text and _POLL in text
    weaker = "atom.global.gpu.{}.add.u64".format
    relaxed = _POLL.replace("acquire", "relaxed")
    yield Mutation("no release", text.replace(_ADD, weaker("acquire")))
    none = text.replace(_POLL, relaxed)
    yield Mutation("no acquire", none)
    yield Mutation("all relaxed", none.replace(_ADD, weaker("relaxed")))
    # No other numbers of 64 bits are compared with each other.
    opposite = {"ge": "eq", "lt": "ne"}
    alone = re.sub(
        r"setp\.(ge|lt)(\.s64\s+%p\d+, %rd\d+, %rd\d+;)",
        lambda found: f"setp.{opposite[found[1]]}{found[2]}",
        text,
    )
    assert alone != text
    yield Mutation("waits for equality", alone)
    cached = re.sub(r"ld\.global\.(v\d\.)?b32", r"ld.global.nc.\1b32", text)
    yield Mutation("loads through the read-only cache", cached)


def without_each(text: str, opcode: str) -> Iterator[Mutation]:
    """Each instruction with an opcode removed in turn."""
    functions = [(m.start(), m[1]) for m in re.finditer(r"^(?:\.func|\.visible \.entry) (\S+?)\(?$",
                                                        text, re.MULTILINE)]  # fmt: skip
    counts: Counter[str] = Counter()
    for match in re.finditer(rf"^\s*{re.escape(opcode)}\b[^;]*;", text, re.MULTILINE):
        name = [n for at, n in functions if at < match.start()][-1]
        changed = text[: match.start()] + "\n" + text[match.end() :]
        yield Mutation(f"no {opcode}", changed, name, opcode, counts[name])
        counts[name] += 1


def judge(mutation: Mutation, launch: Recorded, runs: int) -> Outcome:
    """Run a mutation."""
    by: Counter[str] = Counter()
    noticed = 0
    program = Program(parse(mutation.text))
    for seed in range(runs):
        found = _run(program, launch, seed)
        by.update(found)
        noticed += bool(found)
    return Outcome(runs, noticed, by)


def _run(program: Program, launch: Recorded, seed: int) -> set[str]:
    memory = {begin: words.copy() for begin, words in launch.before.items()}
    try:
        report = launch_cooperatively(
            program, launch.entry, launch.programs, launch.parameters,
            lambda address: launch.find(address, memory), launch.shared, seed,
        )  # fmt: skip
    except (Stuck, Fault) as error:
        return {type(error).__name__.lower()}
    found = {"race" if "order" in what or "beside" in what else what for what, _ in report.problems}
    same = all(np.array_equal(memory[b], words) for b, words in launch.after.items())
    return found if same else found | {"wrong values"}
