"""Instances and branches that run side by side, and what they ask the scheduler for."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any


class Wait:
    """Stop until everything that is recorded has been computed."""


@dataclass(slots=True, eq=False)
class Task:
    """An instance or branch: a generator, and the state of the program that is its own. `epoch`
    counts, per phase, the times that what it recorded before has been computed. `recorded`: its
    instance's nodes since it waited last, one list for the instance and its branches."""

    work: Generator[Any, None, Any]
    depth: int
    phase: int
    parent: Task | None = None
    pending: int = 0
    result: Any = None
    epoch: int = 0
    recorded: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Join:
    """Run `tasks` side by side and stop until all have ended."""

    tasks: list[Task]


@dataclass(slots=True, eq=False)
class MemoCall:
    """A call that was made before or is being made (runtime/include/acrobat/graph/memo.h). `args`
    keeps alive what its key knows by identity. While `runner` is there, others wait for it."""

    args: Sequence[Any]
    runner: Task | None = None
    waiting: list[Task] = field(default_factory=list)
    results: list[Any] | None = None
    depth: int = 0
    phase: int = 0
    epoch: int = 0


@dataclass(slots=True)
class Await:
    """Stop until a call has ended that another task makes."""

    call: MemoCall


Steps = Generator[Wait | Join | Await, None, Any]
