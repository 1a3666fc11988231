"""Threads that run a function, and launches of programs.

A *team* is thread blocks that run side by side, thread by thread under one mask: where threads
diverge those with the least block of code go first. In an ordinary launch a team is many blocks; in
a cooperative one it is a single one, and teams take turns at random wherever another one could see
or change something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.ptx.compiled import Compiled, Program

from .global_memory import Find, Memory, WeakMemory
from .registers import SPECIAL, Frame, Row, UnknownInstruction
from .shared_memory import WARP, Conflicts, Fault, SharedMemory
from .syntax import Instruction

_TOGETHER = 16  # blocks of an ordinary launch in a team
_POLLS = 500  # turns of a team without any addition to a counter: nobody will ever come


class Stuck(Exception):
    """Programs that wait for each other for ever."""


@dataclass(slots=True)
class Report:
    """What a launch was: instructions (of a team: once for all of its threads), turns, and what
    was wrong, by kind and instruction, with how often. `conflicts` of banks, if they are
    counted."""

    instructions: int = 0
    turns: int = 0
    problems: Counter[tuple[str, str]] = field(default_factory=Counter)
    blocks: set[tuple[str, int]] = field(default_factory=set)  # of code that ran, by function
    conflicts: Conflicts | None = None

    def problem(self, what: str, where: str) -> None:
        """Note that something is wrong."""
        self.problems[what, where] += 1

    def add(self, other: Report) -> None:
        """Add up."""
        self.instructions += other.instructions
        self.turns += other.turns
        self.problems += other.problems
        self.blocks |= other.blocks


class Team:
    """`blocks` (numbers of blocks in the launch) of `threads` threads each."""

    def __init__(
        self, program: Program, blocks: Sequence[int], grid: tuple[int, int], threads: int,
        shared: int, memory: Memory, report: Report,
    ) -> None:  # fmt: skip
        self.program, self.memory, self.report = program, memory, report
        self.threads, self.blocks = threads, list(blocks)
        self.size = len(self.blocks) * threads
        self.lanes = np.arange(self.size)
        self.block = np.repeat(np.asarray(self.blocks), threads)  # in the launch
        tid = self.lanes % threads
        self.warp = self.block * (threads // WARP) + tid // WARP
        self.waited = np.zeros(self.size, bool)  # for the kernel before
        self.shared = SharedMemory(
            shared, len(self.blocks), threads, report.problem, program.fine, report.conflicts
        )
        x, y = grid
        values = (tid, 0, threads, self.block % x, self.block // x, 0, x, y, 1, tid % WARP)
        self.special: dict[str, Row] = {
            name: np.broadcast_to(np.asarray(v, np.uint32), self.size)
            for name, v in zip(SPECIAL, values, strict=True)
        }
        self.frames: dict[str, Frame] = {}

    def problem(self, what: str, where: str) -> None:
        """Note that something is wrong."""
        self.report.problem(what, where)

    def run(self, name: str, parameters: Sequence[int]) -> Iterator[str]:
        """Run an entry. Yields what it has come to, where others may take their turn."""
        entry = self.program[name]
        values = [np.full(self.size, v, np.uint64) for v in parameters]
        yield from self._call(entry, values)
        self.shared.finish()
        for block in self.blocks:
            self.memory.finish(block)

    def _call(self, compiled: Compiled, arguments: Sequence[Row]) -> Iterator[str]:
        function = compiled.function
        if function.name not in self.frames:
            self.frames[function.name] = Frame(compiled.layout, self.size, self.special)
        frame = self.frames[function.name]
        if len(arguments) != len(function.params):
            raise UnknownInstruction(f"{function.name} is called with {len(arguments)} arguments")
        for (param, kind), value in zip(function.params, arguments, strict=True):
            frame.params[param] = value.astype(np.uint64 if "64" in kind else np.uint32)
        at, end = 0, len(compiled.code)  # where all threads are, if they are together
        places: np.ndarray | None = None  # else where each is
        waiting = np.zeros(self.size, bool)
        while True:
            mask: bool | np.ndarray = True
            if places is None:
                if at >= end:
                    return
            else:
                ready = (places < end) & ~waiting
                if not ready.any():
                    if not waiting.any():
                        return
                    yield from self._release(compiled, places, waiting)
                    continue
                at = int(places[ready].min())
                mask = ready & (places == at)
                if np.all(mask):
                    places, mask = None, True
            code = compiled.code[at]
            for action in code.actions:
                action(self, frame, mask)
            self.report.instructions += code.size
            self.report.blocks.add((function.name, at))
            last, following = code.last, at + 1
            taken: bool | np.ndarray = mask
            if code.guard >= 0 and last is not None:
                on = frame.rows["pred"][code.guard]
                taken = (~on if last.negated else on) & mask
            if last is None:
                pass
            elif code.target >= 0:
                places, at = _branch(places, at, mask, taken, code.target, self.size)
                continue
            elif code.ordering is not None:
                code.ordering(self, frame, mask)
                yield last.opcode
            elif last.opcode in ("ret", "exit"):
                places, at = _branch(places, at, mask, taken, end, self.size)
                continue
            elif last.opcode == "trap":
                if np.any(taken):
                    raise Fault("a trap")
            elif last.opcode in ("bar.sync", "barrier.sync") and taken is mask:
                if mask is True:
                    self._cta_barrier()
                    yield "bar.sync"
                else:
                    waiting |= mask
                    continue
            elif last.opcode.startswith("call") and mask is True and taken is True:
                yield from self._called(frame, last)
            else:
                raise UnknownInstruction(f"by some of the threads, or without a meaning: {last}")
            if places is None:
                at = following
            else:
                places[mask] = following

    def _called(self, frame: Frame, last: Instruction) -> Iterator[str]:
        name, arguments = last.operands[0], last.operands[1].strip("()").split(",")
        yield from self._call(self.program[name], [frame.out[a.strip()] for a in arguments])

    def _release(
        self, compiled: Compiled, places: np.ndarray, waiting: np.ndarray
    ) -> Iterator[str]:
        """All threads wait at CTA barriers, or have ended."""
        for n in range(len(self.blocks)):
            own = slice(n * self.threads, (n + 1) * self.threads)
            at = np.unique(places[own][waiting[own]])
            if at.size > 1:
                texts = [str(compiled.code[a].last) for a in at]
                self.problem("threads at different CTA barriers", " and ".join(texts))
        self._cta_barrier()
        places[waiting] += 1
        waiting[:] = False
        yield "bar.sync"

    def _cta_barrier(self) -> None:
        for n, block in enumerate(self.blocks):
            self.shared.cta_barrier(n)
            self.memory.cta_barrier(block)


def _branch(
    places: np.ndarray | None, at: int, mask: bool | np.ndarray, taken: bool | np.ndarray,
    target: int, size: int,
) -> tuple[np.ndarray | None, int]:  # fmt: skip
    """Where threads are after a branch that `taken` of those under `mask` take."""
    if mask is True:
        if taken is True or np.all(taken):
            return None, target
        if not np.any(taken):
            return None, at + 1
        return np.where(taken, target, at + 1), at
    assert places is not None
    places = places.copy()
    places[mask] = at + 1
    places[taken] = target
    return places, at


def launch(
    program: Program, entry: str, grid: tuple[int, int], parameters: Sequence[int], find: Find,
    shared: int, threads: int = 0, late: Collection[int] = (), conflicts: Conflicts | None = None,
) -> Report:  # fmt: skip
    """An ordinary launch. `threads` of a block, unless the entry requires a number. `late`: where
    arrays begin that the kernel before, which has not ended, may still read and write."""
    report = Report(conflicts=conflicts)
    threads = threads or program.functions[entry].threads
    blocks = grid[0] * grid[1]
    memory = Memory(find, report.problem, blocks, blocks * threads // WARP, late)
    with np.errstate(all="ignore"):
        for begin in range(0, blocks, _TOGETHER):
            own = range(begin, min(begin + _TOGETHER, blocks))
            team = Team(program, own, grid, threads, shared, memory, report)
            for _ in team.run(entry, parameters):
                report.turns += 1
    return report


def launch_cooperatively(
    program: Program, entry: str, programs: int, parameters: Sequence[int], find: Find, shared: int,
    seed: int,
) -> Report:  # fmt: skip
    """A cooperative launch of `programs` blocks, which take turns at random. Stuck if they wait
    for each other for ever."""
    report, threads = Report(), program.functions[entry].threads
    rng = np.random.default_rng(seed)
    weak = WeakMemory(find, report.problem, programs, programs * threads // WARP)
    teams = [
        Team(program, [n], (programs, 1), threads, shared, weak, report) for n in range(programs)
    ]
    running = {n: team.run(entry, parameters) for n, team in enumerate(teams)}
    idle = 0
    with np.errstate(all="ignore"):
        while running:
            number = list(running)[int(rng.integers(len(running)))]
            for event in running[number]:
                report.turns += 1
                if event.startswith("bar") and rng.random() < 0.75:
                    continue
                idle = idle + 1 if event.startswith("ld") else 0 if "atom" in event else idle
                break
            else:
                del running[number]
                idle = 0
            if idle > _POLLS * programs:
                raise Stuck(f"{len(running)} of {programs} programs wait for ever")
            if rng.random() < 0.1:
                weak.drift(rng)
    return report
