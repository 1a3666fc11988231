"""A machine whose clock and processes are made up, for the tests of the GPU command."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from harness.gpu.budget import RESERVE_S, Runner
from harness.gpu.steps import Step


@dataclass
class Machine:
    """Steps that take given times and end with given exit codes."""

    seconds: dict[str, float] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    now: float = 0.0
    ran: list[tuple[str, float]] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def run(self, step: Step, limit_s: float, log: Path) -> tuple[int | None, str]:
        self.ran.append((step.name, limit_s))
        took = self.seconds.get(step.name, 10.0)
        self.now += min(took, limit_s)
        return (None if took > limit_s else self.codes.get(step.name, 0)), "the last line"


def runner(out: Path, machine: Machine, seconds: float, again: bool = False) -> Runner:
    return Runner(
        out, seconds + RESERVE_S, lambda line: None, again, machine.clock, run=machine.run
    )
