"""Invariants of the typed IR, checked between passes in tests.

* functions, data types and params classes are stored under their own names;
* every variable is defined once in a function, and before it is used;
* a right-hand side gives the type of its variable (`typed_rules`);
* calls name functions that exist, with as many arguments and results;
* conditions are truth values, ranges run over ints, a map makes lists;
* a branch yields as many values as its statement has outs, of a type that fits;
* a match has one arm per member of its subject's type; every function returns;
* a map's iterations do not leave it; phases begin in the entry function, outside of loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from ..errors import CompilerBug
from . import typed as T
from .rewrite import regions, rhs_atoms, stmt_atoms
from .span import NOWHERE, Span
from .subtypes import is_subtype
from .type_queries import member_names
from .typed_rules import wrong_rhs
from .types import BOOL, FLOAT, INT, TEXT, DataRef, ListType, Type, UnionType

# The types of a function's parameters and results: all that its callers are checked against.
_Signature = tuple[tuple[Type, ...], tuple[Type, ...]]


@dataclass(frozen=True, slots=True)
class Verified:
    """A function that satisfies the invariants, in a module with this entry, these types, and
    callees of these signatures."""

    function: T.Function
    module: T.Module
    callees: Mapping[str, _Signature]

    def holds(self, function: T.Function, module: T.Module) -> bool:
        """Whether `function` also satisfies them in `module`, because nothing relevant changed."""
        return (
            function is self.function
            and module.entry == self.module.entry
            and module.datas is self.module.datas
            and module.params is self.module.params
            and all(
                name in module.functions and _signature(module.functions[name]) == signature
                for name, signature in self.callees.items()
            )
        )


def verify_typed(module: T.Module, known: dict[str, Verified] | None = None) -> None:
    """CompilerBug, which names the function and the place in its source, if an invariant is broken.
    `known`: functions that have been verified, by name; they are not checked again while passes
    leave them as they are, and those that are verified now are added."""
    known = {} if known is None else known
    if module.entry not in module.functions:
        raise CompilerBug(f"no function {module.entry}, the entry")
    for found in (module.functions, module.datas, module.params):
        wrong = [n for n, known in found.items() if known.name != n]
        if wrong:
            raise CompilerBug(f"{wrong[0]} has another name than that")
    for f in module.functions.values():
        if f.name not in known or not known[f.name].holds(f, module):
            verifier = _Verifier(module, f)
            verifier.run()
            known[f.name] = Verified(f, module, verifier.callees)


def _signature(function: T.Function) -> _Signature:
    return tuple(v.type for v in function.params), function.results


class _Verifier:
    def __init__(self, module: T.Module, function: T.Function) -> None:
        self.module, self.function = module, function
        self.callees: dict[str, _Signature] = {}
        self.defined: set[int] = set()
        self.loops: list[tuple[Type, ...]] = []
        self.repeated = 0  # enclosing loops and maps
        self.mapped = 0  # enclosing maps
        self.span: Span = function.span

    def fail(self, what: str, where: object) -> NoReturn:
        at = f" ({self.span.file}, line {self.span.line})" if self.span != NOWHERE else ""
        raise CompilerBug(f"{self.function.name}{at}: {what}: {where}")

    def run(self) -> None:
        visible = self.define(self.function.params, frozenset())
        if self.region(self.function.body, visible, ()):
            self.fail("a path ends without a return", self.function.body.end)

    def define(self, outs: tuple[T.Var, ...], visible: frozenset[int]) -> frozenset[int]:
        for v in outs:
            if v.number in self.defined:
                self.fail("defined twice", v)
            self.defined.add(v.number)
        return visible | {v.number for v in outs}

    def use(self, atoms: tuple[T.Atom, ...], visible: frozenset[int], where: object) -> None:
        for a in atoms:
            if isinstance(a, T.Var) and a.number not in visible:
                self.fail(f"{a} is used where it is not defined", where)

    def region(self, region: T.Region, visible: frozenset[int], outs: tuple[T.Var, ...]) -> bool:
        """Whether a path falls through."""
        falls = True
        for stmt in region.stmts:
            self.span = stmt.span
            if not falls:
                self.fail("unreachable statement", stmt)
            match stmt:
                case T.Let(targets, rhs, _):
                    self.use(rhs_atoms(rhs), visible, rhs)
                    self.rhs(targets, rhs)
                case T.If(targets, cond, then, orelse, _):
                    self.use((cond,), visible, stmt)
                    self.fits((cond,), (BOOL,), stmt)
                    ends = [self.region(r, visible, targets) for r in (then, orelse)]
                    falls = any(ends)
                case T.Match(targets, subject, arms, _):
                    self.use((subject,), visible, stmt)
                    self.arms(subject, arms)
                    ends = [
                        self.region(a.region, self.define(a.binds, visible), targets) for a in arms
                    ]
                    falls = any(ends)
                case T.For() | T.While() | T.Map():
                    self.use(stmt_atoms(stmt), visible, stmt)
                    falls = self.loop(stmt, visible)
            visible = self.define(stmt.outs, visible)
        match region.end:
            case T.Yield(values):
                self.use(values, visible, region.end)
                self.fits(values, tuple(v.type for v in outs), region.end)
                return True
            case T.Return(values):
                if self.mapped:
                    self.fail("an iteration of a map leaves it", region.end)
                self.use(values, visible, region.end)
                self.fits(values, self.function.results, region.end)
                return False
            case T.Raise(texts, values):
                self.use(values, visible, region.end)
                if len(texts) != len(values) + 1 or any(
                    v.type not in (INT, FLOAT, BOOL, TEXT) for v in values
                ):
                    self.fail("no message", region.end)
                return False
            case T.Break(values) | T.Continue(values):
                self.use(values, visible, region.end)
                if not self.loops:
                    self.fail("outside of a loop", region.end)
                self.fits(values, self.loops[-1], region.end)
                return False
            case T.Unreachable():
                if falls:
                    self.fail("falls through to an unreachable end", region.stmts[-1:])
                return False

    def loop(self, stmt: T.For | T.While | T.Map, visible: frozenset[int]) -> bool:
        """Whether a path falls through."""
        if isinstance(stmt, T.Map):
            self.fits((stmt.stop, stmt.index), (INT, INT), stmt.index)
            wanted = [T.Var("kept", BOOL)] if stmt.filtered else []
            for v in stmt.outs:
                if not isinstance(v.type, ListType):
                    self.fail(f"a map makes lists, not {v.type}", v)
                wanted.append(T.Var("item", v.type.item))
            loops, self.loops = self.loops, []
            self.mapped += 1
            self.repeated += 1
            if not self.region(stmt.body, self.define((stmt.index,), visible), tuple(wanted)):
                self.fail("an iteration of a map leaves it", stmt.body.end)
            self.mapped -= 1
            self.repeated -= 1
            self.loops = loops
            return True
        types = tuple(v.type for v in stmt.carried)
        self.fits(stmt.inits, types, stmt.inits)
        if [v.type for v in stmt.outs] != list(types):
            self.fail("the outs are not of the types of the variables", stmt.outs)
        visible = self.define(stmt.carried, visible)
        self.repeated += 1
        if isinstance(stmt, T.For):
            self.fits((stmt.start, stmt.stop, stmt.step, stmt.index), (INT,) * 4, stmt.index)
            if isinstance(stmt.step, T.Const) and stmt.step.value == 0:
                self.fail("a range with step 0", stmt.index)
            visible = self.define((stmt.index,), visible)
        elif not self.region(stmt.cond, visible, (T.Var("going", BOOL),)):
            self.fail("a condition leaves its loop", stmt.cond.end)
        self.loops.append(types)
        self.region(stmt.body, visible, stmt.carried)
        self.loops.pop()
        self.repeated -= 1
        if isinstance(stmt, T.While):
            assert isinstance(stmt.cond.end, T.Yield)
            forever = stmt.cond.end.values == (T.Const(True, BOOL),)
            return not forever or any(_breaks(r) for r in (stmt.body,))
        return True

    def fits(self, values: tuple[T.Atom, ...], types: tuple[object, ...], where: object) -> None:
        if len(values) != len(types):
            self.fail(f"{len(values)} values for {len(types)}", where)
        for value, t in zip(values, types, strict=True):
            if not is_subtype(value.type, t):  # type: ignore[arg-type]
                self.fail(f"{value} is {value.type}, not {t}", where)

    def arms(self, subject: T.Var, arms: tuple[T.Arm, ...]) -> None:
        if not isinstance(subject.type, (DataRef, UnionType)):
            self.fail(f"a match over {subject.type}", subject)
        if sorted(member_names(subject.type)) != sorted(a.data for a in arms):
            self.fail("the arms are not the members", subject.type)
        for a in arms:
            wanted = tuple(t for _, t in self.module.datas[a.data].fields)
            self.fits(a.binds, wanted, a.data)

    def rhs(self, outs: tuple[T.Var, ...], rhs: T.Rhs) -> None:
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
            case _:
                if isinstance(rhs, T.NextPhase) and (
                    self.repeated or self.function.name != self.module.entry
                ):
                    self.fail("a phase begins in the entry function, outside of loops", rhs)
                wrong = wrong_rhs(self.module, outs, rhs)
                if wrong is not None:
                    self.fail(wrong, rhs)

    def callee(self, call: T.Call) -> T.Function:
        if call.function not in self.module.functions:
            self.fail("no such function", call)
        callee = self.module.functions[call.function]
        self.callees[call.function] = _signature(callee)
        return callee

    def call(self, outs: tuple[T.Var, ...], call: T.Call) -> None:
        callee = self.callee(call)
        self.fits(call.args, tuple(v.type for v in callee.params), call)
        if [v.type for v in outs] != list(callee.results):
            self.fail(f"results {[str(v.type) for v in outs]}", call)


def _breaks(region: T.Region) -> bool:
    """Whether a break in `region` leaves the enclosing loop."""
    if isinstance(region.end, T.Break):
        return True
    return any(
        _breaks(r) for s in region.stmts if isinstance(s, (T.If, T.Match)) for r in regions(s)
    )
