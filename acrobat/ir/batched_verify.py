"""Invariants of the batched IR, checked in tests after every pass that makes one.

* functions are stored under their own names, and the names of blocks differ;
* every variable is defined once in a function, and before it is used;
* a run names a block that exists and gives it as many handles, row numbers and outs as it has, of
  the same types; inside a block every variable is an input or defined before;
* all runs of a block are hoisted, or none: else a batch could hold a node and one that it reads;
* calls name functions that exist, with as many arguments and results;
* regions yield, break, continue and return as many values as are expected;
* phases begin only in the entry's outermost region, and instances are aligned only in the entry, in
  one loop at most, and in programs that do not suspend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ..errors import CompilerBug
from . import batched as B
from . import typed as T
from .batched_walk import atoms, statements
from .subtypes import is_subtype
from .types import TensorType


def verify_batched(module: B.Module) -> None:
    """CompilerBug, which names the function or block, if an invariant is broken."""
    for name, f in module.functions.items():
        if f.name != name:
            raise CompilerBug(f"{name} has another name than that")
    if len({b.name for b in module.blocks}) < len(module.blocks):
        raise CompilerBug("two blocks have the same name")
    for block in module.blocks:
        _block(block)
    _hoisted_apart(module)
    suspends = any(
        isinstance(s, B.Let) and isinstance(s.rhs, T.Read)
        for f in module.functions.values()
        for s in statements(f.body)
    )
    for f in module.functions.values():
        _Function(module, f, suspends).run()


def _hoisted_apart(module: B.Module) -> None:
    seen: dict[int, bool] = {}
    for f in module.functions.values():
        for s in statements(f.body):
            if isinstance(s, B.Run) and seen.setdefault(s.block, s.hoisted) != s.hoisted:
                name = module.blocks[s.block].name
                raise CompilerBug(f"{f.name}: {name} runs ahead in one place and not in another")


def _block(block: B.Block) -> None:
    known = {i.var for i in block.inputs}
    for o in block.ops:
        for a in o.op.args:
            if isinstance(a, T.Var) and a not in known:
                raise CompilerBug(f"block {block.name}: {a} is used where it is not defined")
        if o.out in known:
            raise CompilerBug(f"block {block.name}: {o.out} is defined twice")
        known.add(o.out)
    for out in block.outputs:
        if out not in known:
            raise CompilerBug(f"block {block.name}: the output {out} is not defined")


class _Function:
    def __init__(self, module: B.Module, function: B.Function, suspends: bool) -> None:
        """`suspends`: whether any function of the program does."""
        self.module, self.function, self.suspends = module, function, suspends
        self.defined: set[T.Var] = set()

    def fail(self, what: str, where: object) -> NoReturn:
        raise CompilerBug(f"{self.function.name}: {what}: {where}")

    def run(self) -> None:
        visible = self.define(self.function.params, frozenset())
        self.region(self.function.body, visible, None, None, True)

    def define(self, outs: Sequence[T.Var], visible: frozenset[T.Var]) -> frozenset[T.Var]:
        for v in outs:
            if v in self.defined:
                self.fail("defined twice", v)
            self.defined.add(v)
        return visible | set(outs)

    def use(self, atoms: Sequence[T.Atom], visible: frozenset[T.Var], where: object) -> None:
        for a in atoms:
            if isinstance(a, T.Var) and a not in visible:
                self.fail(f"{a} is used where it is not defined", where)

    def region(
        self,
        region: B.Region,
        visible: frozenset[T.Var],
        outs: int | None,
        loop: int | None,
        outermost: bool = False,
        loops: int = 0,
    ) -> None:
        """`outs`: how many values it yields (None: it does not yield). `loop`: how many its loop
        carries. `loops`: how many loops enclose it."""
        noted: set[int] = set()
        for stmt in region.stmts:
            if isinstance(stmt, B.Ghost):
                continue
            if isinstance(stmt, B.Mark):
                noted.add(stmt.number)
                continue
            if isinstance(stmt, B.Resume):
                if not stmt.marks or not noted.issuperset(stmt.marks):
                    self.fail("a depth is resumed that was not noted in this region", stmt)
                continue
            if isinstance(stmt, B.Align):
                if loops > 1 or self.function.name != self.module.entry or self.suspends:
                    self.fail("instances are aligned where they must not be", stmt)
                continue
            self.use(atoms(stmt), visible, stmt)
            match stmt:
                case B.Run():
                    self.node(stmt)
                case B.Let(targets, rhs, _):
                    self.let(targets, rhs, outermost)
                case B.If(targets, _, then, orelse, _):
                    for inner in (then, orelse):
                        self.region(inner, visible, len(targets), loop, loops=loops)
                case B.Match(targets, _, arms, _):
                    for arm in arms:
                        inside = self.define(arm.binds, visible)
                        self.region(arm.region, inside, len(targets), loop, loops=loops)
                case B.For() | B.While():
                    n = len(stmt.carried)
                    if n != len(stmt.inits) or n != len(stmt.outs):
                        self.fail("variables, first values and outs differ in number", stmt.outs)
                    inside = self.define(stmt.carried, visible)
                    if isinstance(stmt, B.For):
                        inside = self.define((stmt.index,), inside)
                    else:
                        self.region(stmt.cond, inside, 1, None)
                    self.region(stmt.body, inside, n, n, loops=loops + 1)
                case B.Map():
                    inside = self.define((stmt.index,), visible)
                    n = len(stmt.outs) + stmt.filtered
                    self.region(stmt.body, inside, n, None, loops=2)
            visible = self.define(stmt.outs, visible)
        if isinstance(region.end, T.Unreachable):
            return
        self.use(region.end.values, visible, region.end)
        if isinstance(region.end, T.Raise):
            return
        takers: int | None = None
        match region.end:
            case T.Yield():
                takers = outs
            case T.Break() | T.Continue():
                takers = loop
            case T.Return():
                takers = len(self.function.results)
        if len(region.end.values) != takers:
            self.fail(f"{len(region.end.values)} values for {takers}", region.end)

    def node(self, run: B.Run) -> None:
        if not 0 <= run.block < len(self.module.blocks):
            self.fail("no such block", run.block)
        block = self.module.blocks[run.block]
        given = (len(run.operands), len(run.indices), len(run.outs))
        wanted = (len(block.gathered), len(block.gathered_rows), len(block.outputs))
        if given != wanted:
            self.fail(f"handles, row numbers, outs {given}, {block.name} has {wanted}", run.span)
        pairs = [
            *zip((i.var for i in block.gathered), run.operands, strict=True),
            *zip(block.outputs, run.outs, strict=True),
        ]
        for inner, outer in pairs:
            if inner.type != outer.type:
                self.fail(f"{outer} is {outer.type}, {block.name} has {inner.type}", run.span)

    def let(self, outs: tuple[T.Var, ...], rhs: B.Rhs, outermost: bool) -> None:
        match rhs:
            case T.Call():
                self.call(outs, rhs)
            case T.Parallel(calls):
                at = 0
                for c in calls:
                    n = len(self.callee(c).results)
                    self.call(outs[at : at + n], c)
                    at += n
                if at != len(outs):
                    self.fail(f"{len(outs)} outs for {at} results", rhs)
            case T.NextPhase():
                if not outermost or self.function.name != self.module.entry:
                    self.fail("a phase begins inside of something", rhs)
            case B.WeightReference(param):
                if self.module.weights.get(param) != outs[0].type:
                    self.fail(f"{outs[0].type} of the weight {param}", rhs)
            case B.View(source, start):
                assert isinstance(source.type, TensorType) and isinstance(outs[0].type, TensorType)
                if not 0 <= start <= source.type.size - outs[0].type.size:
                    self.fail(f"{outs[0].type} from {start} on leaves {source.type}", rhs)
            case _:
                if len(outs) != 1:
                    self.fail(f"{len(outs)} outs for one value", rhs)

    def callee(self, call: T.Call) -> B.Function:
        if call.function not in self.module.functions:
            self.fail("no such function", call)
        return self.module.functions[call.function]

    def call(self, outs: tuple[T.Var, ...], call: T.Call) -> None:
        callee = self.callee(call)
        if len(call.args) != len(callee.params) or len(outs) != len(callee.results):
            self.fail("arguments or results differ in number", call)
        for arg, param in zip(call.args, callee.params, strict=True):
            if not is_subtype(arg.type, param.type):
                self.fail(f"{arg} is {arg.type}, not {param.type}", call)
