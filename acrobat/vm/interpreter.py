"""Interprets the functions of a batched module for one instance after another, recording nodes.

Every function and region is a generator. It yields requests to the scheduler (`Wait`, `Join`,
`Await`) and calls (`Invoke`), and returns its values (`values.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..analysis.decisions import may_suspend
from ..errors import AcrobatError, InstanceError
from ..ir import batched as B
from ..ir import typed as T
from ..ir.type_queries import rows_of
from ..ir.types import IntType
from ..options import Options
from .memo import Memo
from .recorder import Recorder
from .tasks import Await, Invoke, Join, MemoCall, Steps, Task, Wait
from .values import Env, Value, Values, number, row_of, value


class _Leave(Exception):
    """A region was left before its end."""

    def __init__(self, end: T.Return | T.Break | T.Continue, values: list[Value]) -> None:
        super().__init__()
        self.end, self.values = end, values


class Interpreter:
    """Runs one mini-batch, whose nodes `recorder` records. `epochs[p]` is how often phase p has
    been computed; `stored` are the classes of data (runtime/records.py); calls on the objects in
    `shared` are memoised (memo.py)."""

    def __init__(
        self,
        recorder: Recorder,
        options: Options,
        stored: Mapping[str, type],
        shared: frozenset[int] = frozenset(),
    ) -> None:
        self.recorder, self.options, layout = recorder, options, recorder.layout
        self.module, self.graph, self.arena = layout.module, recorder.graph, recorder.arena
        self.suspending = layout.suspending
        # How many numbers a phase has, as in runtime/include/acrobat/graph/context.h.
        self.subphases = layout.subphases
        self.epochs = [0] * layout.phase_numbers
        self.task: Task | None = None
        self.memo = Memo(shared)
        self.stored = stored
        self.values = Values(recorder, stored)
        self.doubtful: list[Task] = []  # tasks that read a number as in `Profile.doubtful`

    # -- functions and regions ------------------------------------------------------------

    def call(self, name: str, args: Sequence[Value]) -> Steps:
        """Run a function and return its results."""
        f = self.module.functions[name]
        env: Env = dict(zip(f.params, args, strict=True))
        try:
            yield from self.region(f.body, env)
        except _Leave as leave:
            return leave.values
        raise AcrobatError(f"{name} ended without a return")

    def called(self, name: str, args: Sequence[Value]) -> Steps:
        """Run a call that the model makes, unless it is memoised, and return its results."""
        call = self.memo.call(name, args)
        if call is not None:
            if call.runner is not None and call.runner is not self.task:
                epoch = self.epochs[self.state.phase]
                yield Await(call)
                if self.epochs[self.state.phase] != epoch:
                    self.state.depth = 0
            if call.runner is None:
                return (yield from self._recalled(call, name, args))
        return (yield Invoke(self.call(name, args)))

    def _recalled(self, call: MemoCall, name: str, args: Sequence[Value]) -> Steps:
        """Return the known results of a call that is not running, or run it and note them."""
        state = self.state
        # Results from a later phase of the program, which another instance has reached, come too
        # late.
        if call.results is None or call.phase // self.subphases > state.phase // self.subphases:
            call.runner = state
            results = yield Invoke(self.call(name, args))
            self.memo.end(call, results, self.state, self.epochs[self.state.phase])
            return results
        after = call.depth if self.epochs[call.phase] == call.epoch else 0
        if call.phase == state.phase:
            state.depth = max(state.depth, after)
        elif call.phase > state.phase:
            state.phase, state.depth = call.phase, after
        return call.results

    def region(self, region: B.Region, env: Env) -> Steps:
        """Run a region and return the values that it yields. _Leave if the region returns, breaks
        or continues."""
        marks: dict[int, int] = {}
        for stmt in region.stmts:
            match stmt:
                case B.Run():
                    self.run(stmt, env)
                case B.Let():
                    yield from self.let(stmt, env)
                case B.Ghost(count):
                    self.state.depth += count
                case B.Align():
                    if (self.state.phase + 1) % self.subphases != 0:
                        self.state.phase += 1
                        self.state.depth = 0
                case B.Mark(mark):
                    marks[mark] = self.state.depth
                case B.Resume(numbers):
                    self.state.depth = max(marks[n] for n in numbers)
                case B.If(outs, cond, then, orelse, _):
                    chosen = then if value(cond, env) else orelse
                    self.bind(outs, (yield from self.region(chosen, env)), env)
                case B.Match(outs, subject, arms, _):
                    obj = env[subject]
                    arm = next(a for a in arms if type(obj) is self.stored[a.data])
                    fields = self.module.datas[arm.data].fields
                    self.bind(arm.binds, [getattr(obj, n) for n, _ in fields], env)
                    self.bind(outs, (yield from self.region(arm.region, env)), env)
                case B.For() | B.While():
                    yield from self.loop(stmt, env)
                case B.Map():
                    yield from self.map(stmt, env)
        match region.end:
            case T.Yield(values):
                return [value(v, env) for v in values]
            case T.Return(values) | T.Break(values) | T.Continue(values):
                raise _Leave(region.end, [value(v, env) for v in values])
            case T.Raise(texts, values):
                shown = [str(number(v, env)) for v in values]
                pairs = zip(shown, texts[1:], strict=True)
                raise InstanceError(texts[0] + "".join(s + text for s, text in pairs))
        raise AcrobatError("the end of a region that nothing reaches was reached")

    @property
    def state(self) -> Task:
        assert self.task is not None
        return self.task

    @staticmethod
    def bind(outs: Sequence[T.Var], values: Sequence[Value], env: Env) -> None:
        env.update(zip(outs, values, strict=True))

    def loop(self, stmt: B.For | B.While, env: Env) -> Steps:
        self.bind(stmt.carried, [value(a, env) for a in stmt.inits], env)
        iterations = None
        if isinstance(stmt, B.For):
            start, stop, step = (value(a, env) for a in (stmt.start, stmt.stop, stmt.step))
            if step == 0:
                raise InstanceError("range() with step 0")
            iterations = iter(range(start, stop, step))
        while True:
            if isinstance(stmt, B.For):
                assert iterations is not None
                index = next(iterations, None)
                if index is None:
                    break
                env[stmt.index] = index
            elif not (yield from self.region(stmt.cond, env))[0]:
                break
            try:
                self.bind(stmt.carried, (yield from self.region(stmt.body, env)), env)
            except _Leave as leave:
                if isinstance(leave.end, T.Return):
                    raise
                self.bind(stmt.carried, leave.values, env)
                if isinstance(leave.end, T.Break):
                    break
        self.bind(stmt.outs, [env[v] for v in stmt.carried], env)
        return None

    def map(self, stmt: B.Map, env: Env) -> Steps:
        count = max(0, value(stmt.stop, env))
        suspends = not stmt.in_turn and may_suspend(stmt.body, self.suspending)

        def iteration(i: int) -> Callable[[], Steps]:
            return lambda: self.region(stmt.body, {**env, stmt.index: i})

        results = yield from self.together([iteration(i) for i in range(count)], suspends)
        if stmt.filtered:
            results = [values[1:] for values in results if values[0]]
        lists = [list(c) for c in zip(*results, strict=True)] or [[] for _ in stmt.outs]
        self.bind(stmt.outs, lists, env)
        return None

    def together(self, branches: Sequence[Callable[[], Steps]], suspends: bool) -> Steps:
        """Run independent branches, which all start at the same depth, and return their results."""
        state = self.state
        start, epoch = state.depth, self.epochs[state.phase]
        if not self.options.instance_parallelism:
            plain = []
            for branch in branches:
                plain.append((yield from branch()))
            return plain

        def first() -> int:
            return start if self.epochs[state.phase] == epoch else 0

        ends: list[tuple[int, int]] = []
        results: list[Value] = []
        if suspends and self.options.fibers:
            tasks = [
                Task(branch(), first(), state.phase, state, recorded=state.recorded)
                for branch in branches
            ]
            if tasks:
                yield Join(tasks)
            results = [t.result for t in tasks]
            ends = [(t.depth, t.epoch) for t in tasks]
        else:
            for branch in branches:
                state.depth = first()
                results.append((yield from branch()))
                ends.append((state.depth, self.epochs[state.phase]))
        now = self.epochs[state.phase]
        state.depth = max([first(), *(d for d, e in ends if e == now)])
        return results

    # -- statements ----------------------------------------------------------------------

    def run(self, run: B.Run, env: Env) -> None:
        block = self.module.blocks[run.block]
        indices = []
        for table, index in zip(block.gathered_rows, run.indices, strict=True):
            rows, size = rows_of(self.module.weights[table.param])
            indices.append(row_of(value(index, env), rows, table.param) * size)
        handles = [self.recorder.handle(value(o, env)) for o in run.operands]
        outputs = self.recorder.record(run, handles, indices, self.state)
        self.bind(run.outs, outputs, env)

    def let(self, stmt: B.Let, env: Env) -> Steps:
        match stmt.rhs:
            case T.Call(function, args):
                results = yield from self.called(function, [value(a, env) for a in args])
                self.bind(stmt.outs, results, env)
            case T.Parallel(calls):
                branches = [self._branch(c, env) for c in calls]
                suspends = any(c.function in self.suspending for c in calls)
                results = yield from self.together(branches, suspends)
                self.bind(stmt.outs, [r for rs in results for r in rs], env)
            case T.Read(tensor):
                handle = self.recorder.handle(env[tensor])
                while not self.graph.computed(handle):
                    yield Wait()
                read = float(self.arena.floats[self.graph.place(handle)])
                if self.options.check_finite and (not math.isfinite(read) or read.is_integer()):
                    self.doubtful.append(self.state)
                (out,) = stmt.outs
                env[out] = int(read) if isinstance(out.type, IntType) else read
            case T.NextPhase():
                self.state.phase = (
                    self.state.phase // self.subphases * self.subphases + self.subphases
                )
                self.state.depth = 0
            case _:
                (out,) = stmt.outs
                env[out] = self.values.of(stmt.rhs, out, env)
        return None

    def _branch(self, call: T.Call, env: Env) -> Callable[[], Steps]:
        args = [value(a, env) for a in call.args]
        return lambda: self.called(call.function, args)
