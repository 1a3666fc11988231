"""Instances and branches that run concurrently, and their requests to the scheduler."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..runtime.faults import too_deep

# The approximate memory of one active call of the model.
_CALL_BYTES = 4096


class Wait:
    """Suspend until everything that has been recorded is computed."""


@dataclass(slots=True)
class Invoke:
    """Run a function of the program and send back its results. The caller waits in the task's
    list: with a chain of generators, a recursive model would exhaust the stack of the process."""

    steps: Steps


@dataclass(slots=True, eq=False)
class Task:
    """An instance or branch: the running generator (`work`) and its own part of the program's
    state. `epoch`: how often the phase had been computed when the task ended. `recorded`: the nodes
    recorded since the instance last waited, one list for it and its branches. `callers`: the
    generators that wait for `work`, innermost last."""

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
        """Run up to the next request to the scheduler and return it. StopIteration with the results
        at the end; RecursionLimitError if the active calls take more than `stack_mb` MiB."""
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
    """Run `tasks` concurrently, and suspend until all have ended."""

    tasks: list[Task]


@dataclass(slots=True, eq=False)
class MemoCall:
    """A memoised call that has ended or is running (runtime/include/acrobat/graph/memo.h). `args`
    keeps alive the objects whose identities are in its key. While `runner` is set, other tasks wait
    for it."""

    args: Sequence[Any]
    runner: Task | None = None
    waiting: list[Task] = field(default_factory=list)
    results: list[Any] | None = None
    depth: int = 0
    phase: int = 0
    epoch: int = 0


@dataclass(slots=True)
class Await:
    """Suspend until a call that another task makes has ended."""

    call: MemoCall


Steps = Generator[Wait | Join | Await | Invoke, Any, Any]
