"""Instances and branches that run side by side, and what they ask the scheduler for."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..runtime.faults import too_deep

# The memory that one open call of the model takes, roughly.
_CALL_BYTES = 4096


class Wait:
    """Stop until everything that is recorded has been computed."""


@dataclass(slots=True)
class Invoke:
    """Run a function of the program, whose results are sent back. Its caller waits in the task's
    own list: in a chain of generators a model's recursion would use up the stack of the process."""

    steps: Steps


@dataclass(slots=True, eq=False)
class Task:
    """An instance or branch: the generator that runs, and the state of the program that is its own.
    `epoch` counts, per phase, the times that what it recorded before has been computed. `recorded`:
    its instance's nodes since it waited last, one list for the instance and its branches. `callers`
    wait for the generator that runs, the innermost last."""

    work: Steps
    depth: int
    phase: int
    parent: Task | None = None
    pending: int = 0
    result: Any = None
    epoch: int = 0
    recorded: list[int] = field(default_factory=list)
    callers: list[Steps] = field(default_factory=list)

    def proceed(self, stack_mb: int) -> Wait | Join | Await:
        """Go on to the next request to the scheduler. StopIteration with the results at the end,
        RecursionLimitError if the open calls take more memory than that."""
        sent = None
        while True:
            try:
                request = self.work.send(sent)
            except StopIteration as stop:
                if not self.callers:
                    raise
                self.work, sent = self.callers.pop(), stop.value
                continue
            if not isinstance(request, Invoke):
                return request
            if len(self.callers) >= (stack_mb << 20) // _CALL_BYTES:
                raise too_deep(stack_mb)
            self.callers.append(self.work)
            self.work, sent = request.steps, None


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


Steps = Generator[Wait | Join | Await | Invoke, Any, Any]
