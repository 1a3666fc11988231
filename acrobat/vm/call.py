"""A call of the interpreter: instances record nodes until each of them waits or has ended, then the
recorded nodes run in batches, and so on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..errors import InstanceError
from ..ir import batched as B
from ..ir.types import Type
from ..layout import SCHEDULERS, Layout
from ..options import Options
from ..runtime.faults import too_deep
from ..runtime.object_inputs import ObjectInputs
from ..runtime.profile import Profile
from .choice import Choice
from .graph import Graph
from .kernels import BatchRunner
from .memory import Arena, Budget
from .observer import Observer
from .recorder import depths_ahead
from .results import Results
from .tasks import Await, Join, Task


def _root(task: Task) -> Task:
    """Return the task of the whole instance."""
    while task.parent is not None:
        task = task.parent
    return task


class Runnable(Protocol):
    """The parts of a program that a call needs. `arena_weights`: the weights at the start of the
    arena; `fields`: the types of the fields of every data type, by class; `stored`: the classes of
    data, by name (runtime/records.py)."""

    layout: Layout
    module: B.Module
    options: Options
    kernels: BatchRunner
    choice: Choice
    arena_weights: dict[str, np.ndarray]
    fields: dict[type, dict[str, Type]]
    stored: dict[str, type]


class Call:
    """One mini-batch through the interpreter."""

    def __init__(self, program: Runnable, inputs: ObjectInputs, observer: Observer | None) -> None:
        self.program, self.inputs, self.observer = program, inputs, observer
        self.arena = Arena(Budget(program.options.memory_mb << 20))
        self.graph = Graph(program.layout, self.arena)
        for name, array in program.arena_weights.items():
            place = self.graph.take(array.size)
            assert place == program.layout.arena_weights[name]
            self.arena.floats[place : place + array.size] = array.ravel()
        ahead = depths_ahead(len(inputs.instances))
        auto = SCHEDULERS[program.layout.scheduler] == "auto"
        if auto:
            one_graph = not program.layout.suspending
            self.graph.advice = program.choice.advise(len(inputs.instances), one_graph)
        given = program.layout, self.graph, ahead, program.options, program.stored, inputs.shared
        self.interpreter = (observer or Observer()).interpreter(*given)
        if observer is not None:
            observer.begins(self.graph)
        self.times = {"graph": 0.0, "schedule": 0.0, "kernel": 0.0}
        self.calls = self.syncs = 0
        self.nodes: Counter[str] = Counter()
        self.batches: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()
        result = program.module.result
        self.results = Results(result, program.fields, self.graph, self.arena)
        self.clock = time.perf_counter()

    def lap(self, what: str) -> None:
        """Add the time since the last lap to that of `what`."""
        now = time.perf_counter()
        self.times[what] += (now - self.clock) * 1e3
        self.clock = now

    def run(self) -> tuple[list[Any], Profile]:
        module = self.program.module
        tasks = []
        for arguments in self.inputs.instances:
            work = self.interpreter.call(module.entry, arguments)
            tasks.append(Task(work, 0, 0))
        if self.program.options.fibers:
            self.drive(tasks, 0)
        else:
            for i, task in enumerate(tasks):
                self.drive([task], i)
        self.compute(self.program.layout.phase_numbers - 1, is_last=True)
        if self.graph.advice is not None:
            self.program.choice.learn(len(self.inputs.instances), self.graph.advice)
        results = [self.results.add(t.result) for t in tasks]
        profile = Profile(
            input_ms=self.inputs.input_ms,
            graph_ms=self.times["graph"],
            schedule_ms=self.times["schedule"],
            copy_ms=0.0,
            kernel_ms=self.times["kernel"],
            n_nodes=len(self.graph.nodes),
            n_batches=self.graph.n_batches,
            n_kernel_calls=self.calls,
            n_syncs=self.syncs,
            peak_mem_mb=self.graph.floats * 4 / 2**20,
            spare_mb=0.0,
            nodes=dict(self.nodes),
            batches=dict(self.batches),
            alone=dict(self.alone),
            doubtful=self.doubtful(tasks),
        )
        return results, profile

    def doubtful(self, tasks: Sequence[Task]) -> tuple[int, ...]:
        """Return `Profile.doubtful`; `tasks` are those of the instances, in order."""
        roots = {id(_root(task)) for task in self.interpreter.doubtful}
        return tuple(i for i, task in enumerate(tasks) if id(task) in roots)

    def drive(self, tasks: Sequence[Task], first: int) -> None:
        """Run `tasks` (instances, the first with number `first`) and all they start to the end."""
        number = {id(t): first + i for i, t in enumerate(tasks)}
        stack_mb = self.program.options.stack_mb
        ready: list[Task] = list(reversed(tasks))
        suspended: list[Task] = []
        while ready or suspended:
            while ready:
                task = ready.pop()
                self.interpreter.task = task
                if self.observer is not None:
                    self.observer.recording(self.graph, number[id(_root(task))])
                try:
                    request = task.proceed(stack_mb)
                except StopIteration as stop:
                    ready.extend(self.interpreter.memo.awake())
                    task.result = stop.value
                    task.epoch = self.interpreter.epochs[task.phase]
                    if task.parent is None:
                        # Other instances may use values that this one has computed.
                        if not self.inputs.shared:
                            self.graph.set_aside(task.recorded)
                    else:
                        task.parent.pending -= 1
                        if task.parent.pending == 0:
                            ready.append(task.parent)
                    continue
                except InstanceError as error:
                    raise InstanceError(f"instances[{number[id(_root(task))]}]: {error}") from None
                ready.extend(self.interpreter.memo.awake())
                if isinstance(request, Join):
                    task.pending = len(request.tasks)
                    ready.extend(reversed(request.tasks))
                elif isinstance(request, Await):
                    request.call.waiting.append(task)
                else:
                    suspended.append(task)
            if suspended:
                phase = min(t.phase for t in suspended)
                if self.observer is not None:
                    self.observer.waiting([number[id(_root(t))] for t in suspended])
                self.compute(phase, is_last=False)
                self.syncs += 1
                for task in suspended:
                    task.recorded.clear()
                    if task.phase <= phase:
                        task.depth = 0
                ready, suspended = list(reversed(suspended)), []
        if self.interpreter.memo.waits():
            raise too_deep(stack_mb)

    def compute(self, last_phase: int, is_last: bool) -> None:
        """Schedule and run the recorded nodes of the phases up to `last_phase`."""
        self.lap("graph")
        if self.observer is not None:
            self.observer.did("control flow")
        batches = self.graph.schedule(last_phase, is_last)
        for p in range(last_phase + 1):
            self.interpreter.epochs[p] += 1
        self.lap("schedule")
        if self.observer is not None:
            self.observer.did("scheduling")
            self.observer.scheduled(self.graph, batches)
        for number, batch in enumerate(batches):
            name = self.program.module.blocks[batch.block].name
            self.nodes[name] += batch.n
            self.batches[name] += 1
            if batch.n == 1:
                self.alone[name] += 1
            self.calls += self.program.kernels.run(batch, self.arena.floats)
            if self.observer is not None:
                self.observer.did("kernels", number - len(batches))
        self.lap("kernel")
