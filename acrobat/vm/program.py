"""A model run by the interpreter: the counterpart of `runtime.program.Program`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..errors import CapacityError, InstanceError, RecursionLimitError
from ..ir.types import ListType, TensorType, TupleType, Type, leaf_types
from ..layout import Layout
from ..options import Options
from ..runtime.faults import OUT_OF_MEMORY
from ..runtime.object_inputs import ObjectInputs, require_list
from ..runtime.prepared import ProgramKey
from ..runtime.profile import Profile
from ..runtime.read_instances import read_instances
from .graph import Graph, Handle
from .interpreter import Interpreter
from .kernels import Kernels
from .memory import Arena, Budget
from .recorder import Recorder, depths_ahead
from .tasks import Await, Join, Task


class VmProgram:
    """Safe to call from several threads: each call has its own graph and memory."""

    def __init__(self, layout: Layout, weights: Mapping[str, np.ndarray], options: Options) -> None:
        self.layout, self.module, self.options = layout, layout.module, options
        self.key = ProgramKey()
        self.kernels = Kernels(layout, weights)
        self.arena_weights = {n: weights[n].copy() for n in layout.arena_weights}
        self.fields = {d.cls: dict(d.fields) for d in layout.datas}

    def convert(self, instances: Sequence[Any]) -> ObjectInputs:
        """Check the instances and copy them. InstanceError names the path to a bad field."""
        start = time.perf_counter()
        require_list(instances)
        read = read_instances(instances, self.module.instance, self.module.datas)
        shared = read.shared if self.layout.memoises else frozenset()
        took = (time.perf_counter() - start) * 1e3
        return ObjectInputs(self.key, took, read.instances, shared)

    def run(self, inputs: ObjectInputs) -> tuple[list[Any], Profile]:
        """One mini-batch; results in the order of the instances, and the profile. CapacityError
        if it takes more memory than it may, or than there is."""
        return self._call(inputs)[1]

    def count_min_batches(self, inputs: ObjectInputs) -> int:
        """A lower bound on the number of batches: the longest dependence chain of every block,
        summed. Runs the mini-batch to know its graph."""
        return self._call(inputs)[0].graph.min_batches()

    def _call(self, inputs: ObjectInputs) -> tuple[_Call, tuple[list[Any], Profile]]:
        try:
            call = _Call(self, inputs)
            return call, call.run()
        except MemoryError as error:
            if isinstance(error, CapacityError):
                raise
            raise CapacityError(OUT_OF_MEMORY) from None


def _too_deep() -> RecursionLimitError:
    return RecursionLimitError(
        "the model recursed deeper than Python's interpreter allows; raise "
        "sys.setrecursionlimit, or use executor='aot'"
    )


class _Call:
    def __init__(self, program: VmProgram, inputs: ObjectInputs) -> None:
        self.program, self.inputs = program, inputs
        self.arena = Arena(Budget(program.options.memory_mb << 20))
        self.graph = Graph(program.layout, self.arena)
        for name, array in program.arena_weights.items():
            place = self.graph.take(array.size)
            assert place == program.layout.arena_weights[name]
            self.arena.floats[place : place + array.size] = array.ravel()
        ahead = depths_ahead(len(inputs.instances))
        recorder = Recorder(program.layout, self.graph, ahead)
        self.interpreter = Interpreter(recorder, program.options, inputs.shared)
        self.times = {"graph": 0.0, "schedule": 0.0, "kernel": 0.0}
        self.calls = self.syncs = 0
        self.nodes: Counter[str] = Counter()
        self.batches: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()
        # What was made of data of the result that is made now, by identity (python/rebuilt.h).
        self.rebuilt: dict[int, Any] = {}
        self.clock = time.perf_counter()

    def lap(self, what: str) -> None:
        """The time since the last lap went into `what`."""
        now = time.perf_counter()
        self.times[what] += (now - self.clock) * 1e3
        self.clock = now

    def run(self) -> tuple[list[Any], Profile]:
        module = self.program.module
        several = len(module.instance) > 1
        tasks = []
        for instance in self.inputs.instances:
            args = instance if several else (instance,)
            work = self.interpreter.call(module.entry, args)
            tasks.append(Task(work, 0, 0))
        if self.program.options.fibers:
            self.drive(tasks, 0)
        else:
            for i, task in enumerate(tasks):
                self.drive([task], i)
        self.compute(self.program.layout.phase_numbers - 1, is_last=True)
        results = [self.result(t.result) for t in tasks]
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
            nodes=dict(self.nodes),
            batches=dict(self.batches),
            alone=dict(self.alone),
        )
        return results, profile

    def drive(self, tasks: Sequence[Task], first: int) -> None:
        """Run `tasks` (the instances from number `first` on) and what they start to their ends."""
        number = {id(t): first + i for i, t in enumerate(tasks)}
        ready: list[Task] = list(reversed(tasks))
        suspended: list[Task] = []
        while ready or suspended:
            while ready:
                task = ready.pop()
                self.interpreter.task = task
                try:
                    request = next(task.work)
                except StopIteration as stop:
                    ready.extend(self.interpreter.memo.awake())
                    task.result = stop.value
                    task.epoch = self.interpreter.epochs[task.phase]
                    if task.parent is None:
                        # Other instances may have what this one has computed.
                        if not self.inputs.shared:
                            self.graph.set_aside(task.recorded)
                    else:
                        task.parent.pending -= 1
                        if task.parent.pending == 0:
                            ready.append(task.parent)
                    continue
                except InstanceError as error:
                    root = task
                    while root.parent is not None:
                        root = root.parent
                    raise InstanceError(f"instances[{number[id(root)]}]: {error}") from None
                except RecursionError:
                    raise _too_deep() from None
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
                self.compute(phase, is_last=False)
                self.syncs += 1
                for task in suspended:
                    task.recorded.clear()
                    if task.phase <= phase:
                        task.depth = 0
                ready, suspended = list(reversed(suspended)), []
        if self.interpreter.memo.waits():
            raise _too_deep()

    def compute(self, last_phase: int, is_last: bool) -> None:
        """Schedule and run what has been recorded, up to a phase."""
        self.lap("graph")
        batches = self.graph.schedule(last_phase, is_last)
        for p in range(last_phase + 1):
            self.interpreter.epochs[p] += 1
        self.lap("schedule")
        for batch in batches:
            name = self.program.module.blocks[batch.block].name
            self.nodes[name] += batch.n
            self.batches[name] += 1
            if batch.n == 1:
                self.alone[name] += 1
            self.calls += self.program.kernels.run(batch, self.arena.floats)
        self.lap("kernel")

    def result(self, values: list[Any]) -> Any:
        """The result of an instance, rebuilt along the declared type."""
        leaves = iter(values)
        self.rebuilt.clear()

        def build(t: Type) -> Any:
            if isinstance(t, TupleType):
                return tuple(build(i) for i in t.items)
            if isinstance(t, ListType) and leaf_types(t) != (t,):
                columns = [next(leaves) for _ in leaf_types(t)]
                return [self._rebuild(t.item, list(item)) for item in zip(*columns, strict=True)]
            return self.value(next(leaves), t)

        return build(self.program.module.result)

    def _rebuild(self, t: Type, leaves: list[Any]) -> Any:
        """One item of a list of tuples, from its leaves."""
        if isinstance(t, TupleType):
            items = []
            for item in t.items:
                size = len(leaf_types(item))
                items.append(self._rebuild(item, leaves[:size]))
                leaves = leaves[size:]
            return tuple(items)
        if isinstance(t, ListType) and leaf_types(t) != (t,):
            return [self._rebuild(t.item, list(inner)) for inner in zip(*leaves, strict=True)]
        return self.value(leaves[0], t)

    def value(self, value: Any, t: Type) -> Any:
        """`value` with its handles replaced by arrays."""
        if isinstance(value, Handle):
            assert isinstance(t, TensorType)
            at = self.graph.place(value)
            # A copy: others may read it too, and the memory need not stay.
            return (
                self.arena.floats[at : at + t.size].reshape([d.known or 0 for d in t.dims]).copy()
            )
        if isinstance(t, ListType):
            return [self.value(v, t.item) for v in value]
        if is_dataclass(value) and not isinstance(value, type):
            if id(value) in self.rebuilt:
                return self.rebuilt[id(value)]
            types = self.program.fields[type(value)]
            parts = [self.value(getattr(value, f.name), types[f.name]) for f in fields(value)]
            made = self.rebuilt[id(value)] = type(value)(*parts)
            return made
        return value
