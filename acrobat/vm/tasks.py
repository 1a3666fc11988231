"""Instances and branches that run side by side, and what they ask the scheduler for."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any


class Wait:
    """Stop until everything that is recorded has been computed."""


@dataclass(slots=True)
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


Steps = Generator[Wait | Join, None, Any]
