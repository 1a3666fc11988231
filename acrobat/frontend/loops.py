"""Loops: `for` and `while`, their variables, and appending to a list on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..ir import typed as T
from ..ir.types import INT, ListType, NothingType, Type, is_subtype, join, run_time_value
from .matching import MatchLowerer
from .module import ModuleBuilder, Signature, names_assigned
from .scope import Binding, Conflict, Env, Poison, Size, Undefined


@dataclass(slots=True)
class Loop:
    """A loop that is being lowered: its variables, and the values that they got where a turn ends
    early or the loop is left."""

    carried: dict[str, T.Var]
    seen: list[tuple[T.Atom, ...]] = field(default_factory=list)
    breaks: bool = False
    # The owned lists where a turn ends, and where the loop is left.
    owned: list[set[str]] = field(default_factory=list)
    left: list[set[str]] = field(default_factory=list)


class LoopLowerer(MatchLowerer):
    """Adds loops."""

    def __init__(self, builder: ModuleBuilder, signature: Signature) -> None:
        super().__init__(builder, signature)
        self.loops: list[Loop] = []
        # Names of the lists that loops around run over: they must not grow meanwhile.
        self.iterated: list[str] = []

    def for_(self, node: ast.For, env: Env) -> None:
        """`for target in ...:`."""
        self._no_else(node)
        turns = self.turns(node.iter, env)
        iterated = self.lists_of(node.iter, env)

        def turn(inner: Env) -> tuple[T.Var, T.Region, Env | None]:
            index = T.Var("i", INT)
            outer, self.stmts = self.stmts, []
            try:
                self.assign(node.target, turns.item(index), inner)
                before = tuple(self.stmts)
            finally:
                self.stmts = outer
            region, after = self.block(node.body, inner, before)
            return index, region, after

        self.iterated += iterated
        try:
            names = names_assigned(node.body)
            carried, inits, (index, body, _) = self._carry(node, names, env, turn)
        finally:
            del self.iterated[len(self.iterated) - len(iterated) :]
        outs = self._outs(node, carried, env, names | _target_names(node.target))
        self.stmts.append(
            T.For(
                outs,
                index,
                turns.start,
                turns.stop,
                turns.step,
                tuple(carried.values()),
                inits,
                body,
                self.span(node),
            )
        )

    def while_(self, node: ast.While, env: Env) -> T.Unreachable | None:
        """`while test:`."""
        self._no_else(node)

        def turn(inner: Env) -> tuple[T.Region, T.Region, Env | None]:
            outer, self.stmts = self.stmts, []
            try:
                cond = self.condition(node.test, inner)
                region = T.Region(tuple(self.stmts), T.Yield((cond,)))
            finally:
                self.stmts = outer
            before = self.narrow(node.test, True, inner)
            body, after = self.block(node.body, inner, before)
            return region, body, after

        names = names_assigned(node.body)
        carried, inits, (cond, body, _) = self._carry(node, names, env, turn)
        forever = isinstance(node.test, ast.Constant) and node.test.value is True
        ended = forever and not self._last.breaks
        outs = self._outs(node, carried, env, names)
        self.stmts.append(
            T.While(outs, cond, tuple(carried.values()), inits, body, self.span(node))
        )
        return T.Unreachable() if ended else None

    def _no_else(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            self.fail("AC001", node.orelse[0], "`else` of a loop", "an `if` behind the loop")

    def _carry(
        self,
        node: ast.For | ast.While,
        names: set[str],
        env: Env,
        turn: Callable[[Env], tuple[Any, ...]],
    ) -> tuple[dict[str, T.Var], tuple[T.Atom, ...], tuple[Any, ...]]:
        """Lower a loop's body until the types of its variables, the names that are bound before and
        assigned inside, hold for every turn."""
        changed = names | appended(node.body)
        bound = [n for n in env.names if n in changed]
        start: dict[str, T.Atom] = {}
        fixed: dict[str, Binding] = {}
        for name in bound:
            value = env.names[name]
            if isinstance(value, Size):
                fixed[name] = Conflict(self.span(node), "one size", "another size")
            if not isinstance(value, (T.Var, T.Const)):
                continue
            if run_time_value(value.type):
                start[name] = value
            else:
                fixed[name] = Conflict(self.span(node), *_two(value.type))
        types: dict[str, Type] = {}
        for name, atom in start.items():
            declared = self.declared.get(name, atom.type)
            types[name] = declared if is_subtype(atom.type, declared) else atom.type
        owned = env.owned & set(start)
        while True:
            errors = len(self.reporter.errors)
            inner = env.copy()
            inner_owned = owned | {n for n in env.owned if n not in start}
            inner.owned = set(inner_owned)
            carried = {n: T.Var(n, t) for n, t in types.items()}
            for name, var in carried.items():
                origin = start[name]
                note = self.origins.get(origin.number, "") if isinstance(origin, T.Var) else ""
                self.origins[var.number] = note
            inner.names.update(fixed)
            inner.names.update(carried)
            loop = Loop(carried)
            self.loops.append(loop)
            try:
                result = turn(inner)
            finally:
                self.loops.pop()
            after = result[-1]
            if isinstance(after, Env):
                loop.seen.append(self._values(node, loop, after))
                loop.owned.append(after.owned)
            grown = self._grown(node, types, loop)
            kept = owned.intersection(*loop.owned) if loop.owned else owned
            if grown == types and kept == owned:
                break
            del self.reporter.errors[errors:]
            types, owned = grown, kept
        self._last = loop
        env.owned.intersection_update(inner_owned, *loop.owned, *loop.left)
        if isinstance(after, Env):
            *rest, body, _ = result
            assert isinstance(body, T.Region)
            body = T.Region(body.stmts, T.Yield(loop.seen[-1]))
            result = (*rest, body, after)
        return carried, tuple(start.values()), result

    def _values(self, node: ast.AST, loop: Loop, env: Env) -> tuple[T.Atom, ...]:
        """What the loop's variables stand for in `env`."""
        found: list[T.Atom] = []
        for name, var in loop.carried.items():
            value = env.names[name]
            match value:
                case T.Var() | T.Const():
                    found.append(value)
                case Poison():
                    found.append(var)
                case Undefined() | Conflict() | Size():
                    self.name(ast.copy_location(ast.Name(name, ast.Load()), node), name, env)
        return tuple(found)

    def _grown(self, node: ast.AST, types: dict[str, Type], loop: Loop) -> dict[str, Type]:
        """The types of the variables joined with what the turns made of them."""
        grown = dict(types)
        for values in loop.seen:
            for name, value in zip(loop.carried, values, strict=True):
                both = join(grown[name], value.type)
                if both is None or not run_time_value(both):
                    self.fail(
                        "AC008",
                        node,
                        f"{name!r} is {grown[name]} before the loop and {value.type} after a turn",
                        "keep its type, or use two names",
                    )
                grown[name] = both
        return grown

    def _outs(
        self, node: ast.stmt, carried: dict[str, T.Var], env: Env, assigned: set[str]
    ) -> tuple[T.Var, ...]:
        """The loop's results; names that only live in a turn are undefined behind it."""
        outs = {n: T.Var(n, v.type) for n, v in carried.items()}
        for out in outs.values():
            self.origins[out.number] = f"computed by the loop in line {self.span(node).line}"
        for name in assigned - set(outs):
            if name in env.names and isinstance(env.names[name], Poison):
                continue
            env.names[name] = Undefined(self.span(node))
        env.names.update(outs)
        return tuple(outs.values())

    def leave(self, node: ast.Break | ast.Continue, env: Env) -> T.Break | T.Continue:
        """`break` or `continue`."""
        loop = self.loops[-1]  # Python itself refuses these outside of a loop
        values = self._values(node, loop, env)
        loop.seen.append(values)
        if isinstance(node, ast.Break):
            loop.breaks = True
            loop.left.append(set(env.owned))
            return T.Break(values)
        loop.owned.append(set(env.owned))
        return T.Continue(values)

    def append(
        self, node: ast.AST, name: str, items: ast.expr | None, item: ast.expr | None, env: Env
    ) -> None:
        """`name.append(item)` or `name += items`: the name stands for a longer list now."""
        value = env.names.get(name)
        if name in self.iterated:
            self.fail(
                "AC030",
                node,
                f"{name} grows while a loop runs over it",
                "append to another list",
            )
        if name not in env.owned or not isinstance(value, T.Var):
            text = ast.unparse(items) if items is not None else f"[{ast.unparse(item)}]"  # type: ignore[arg-type]
            self.fail(
                "AC030",
                node,
                f"{name} may be known by another name, under which it would grow too",
                f"`{name} = {name} + {text}`",
            )
        assert isinstance(value.type, ListType)
        added = self.expression(items if item is None else item, env)  # type: ignore[arg-type]
        wanted = added.type if item is None else ListType(added.type)
        both = join(value.type, wanted)
        if both is None or isinstance(wanted, NothingType):
            self.fail(
                "AC017",
                item if item is not None else node,
                f"{name} is a {value.type}, the item is a {added.type}",
                "items of one type",
            )
        out = T.Var(name, both)
        op = "concat" if item is None else "append"
        self.stmts.append(T.Let((out,), T.ListOp(op, (value, added)), self.span(node)))
        env.names[name] = out

    _last: Loop = Loop({})


def _two(t: Type) -> tuple[str, str]:
    return f"one {t}", f"another {t}"


def appended(body: list[ast.stmt]) -> set[str]:
    """The names that `body` appends to."""
    calls = [n for stmt in body for n in ast.walk(stmt) if isinstance(n, ast.Call)]
    return {
        c.func.value.id
        for c in calls
        if isinstance(c.func, ast.Attribute)
        and c.func.attr == "append"
        and isinstance(c.func.value, ast.Name)
    }


def _target_names(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
