"""Comprehensions over weights, `[x @ w for w in p.ws]`: every item is written out, for it must know
its own weights when the model is compiled. A filter that is known then, such as `if "b" in layer`,
leaves items out; any other gives a list of no item or one for each weight."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.type_queries import run_time_value
from ...ir.types import BOOL, INT, NOTHING, ListType, Type
from ..conditions import condition
from ..context import FunctionContext
from ..emit import list_op, make_tuple
from ..iteration_space import IterationSpace
from ..narrowing import narrow
from ..scope import Env
from ..syntax import names_in
from ..unroll import bind_target
from .lists import refuse_weights
from .weight_fields import known_test


@dataclass(frozen=True, slots=True)
class _Part:
    """What one iteration gives: an item, or a list of no item or one."""

    value: T.Atom
    is_list: bool = False


def unrolled(
    ctx: FunctionContext,
    node: ast.ListComp,
    generator: ast.comprehension,
    space: IterationSpace,
    env: Env,
) -> T.Var:
    """The items of a comprehension whose iterations are counted when the model is compiled, or are
    at most so many; a tuple if they are weights."""
    parts = _Comprehension(ctx, node, generator, space).parts(env)
    if not all(run_time_value(p.value.type) for p in parts):
        return make_tuple(ctx, tuple(p.value for p in parts), node, "items")
    if not any(p.is_list for p in parts):
        items = tuple(p.value for p in parts)
        if any(join(items[0].type, i.type) is None for i in items) and _are_read(ctx, items):
            return make_tuple(ctx, items, node, "items")  # weights of several shapes
        return list_op(ctx, "make", items, ListType(_type(ctx, node, items)), node)
    lists = tuple(p.value if p.is_list else _only(ctx, node, p.value) for p in parts)
    t = _type(ctx, node, lists)
    return list_op(ctx, "flatten", (list_op(ctx, "make", lists, ListType(t), node),), t, node)


@dataclass(slots=True)
class _Comprehension:
    ctx: FunctionContext
    node: ast.ListComp
    generator: ast.comprehension
    space: IterationSpace
    own: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.own = names_in(self.generator.target)

    def parts(self, env: Env) -> list[_Part]:
        """What all iterations give, without those that a filter leaves out for certain."""
        found: list[_Part] = []
        for k in range(self.space.unrolled or 0):
            inner = env.copy()
            part = self.iteration(k, inner)
            if part is not None:
                found.append(part)
            env.owned &= inner.owned
            # What an iteration changes, the next one sees.
            env.names.update({n: inner.names[n] for n in env.names if n not in self.own})
        return found

    def iteration(self, k: int, env: Env) -> _Part | None:
        """Iteration `k`, if there is one."""

        def lower(inner: Env) -> _Part | None:
            bind_target(self.ctx, self.generator.target, self.space, k, inner)
            return self.filtered(self.generator.ifs, inner)

        if isinstance(self.space.stop, T.Const):
            return lower(env)
        there = T.Scalar("<", (T.Const(k, INT), self.space.stop))
        return self.where(self.ctx.let(there, BOOL, self.node, "b"), lower, env)

    def filtered(self, tests: Sequence[ast.expr], env: Env) -> _Part | None:
        """The item if all tests hold."""
        ctx = self.ctx
        if not tests:
            return _Part(ctx.expression(self.node.elt, env))
        test, *rest = tests
        known = known_test(ctx, test, env)
        if known is not None:
            return self.filtered(rest, env) if known else None
        holds = condition(ctx, test, env)
        if isinstance(holds, T.Const) and not holds.value:
            return None
        read = names_in(self.node.elt).union(*map(names_in, rest))

        def lower(inner: Env) -> _Part | None:
            ctx.stmts += narrow(ctx, test, True, inner, read)
            return self.filtered(rest, inner)

        return lower(env) if isinstance(holds, T.Const) else self.where(holds, lower, env)

    def where(self, holds: T.Atom, lower: Callable[[Env], _Part | None], env: Env) -> _Part | None:
        """What `lower` gives where `holds` is true, as a list that is empty elsewhere."""
        ctx, node = self.ctx, self.node
        apart, ctx.apart = ctx.apart, env.changeable()
        try:
            with ctx.region() as then:
                inner = env.copy()
                part = lower(inner)
                if part is None:
                    return None
                refuse_weights(ctx, node.elt, part.value)
                found = part.value if part.is_list else _only(ctx, node, part.value)
        finally:
            ctx.apart = apart
        env.owned &= inner.owned
        with ctx.region() as orelse:
            none = list_op(ctx, "make", (), found.type, node)
        kept = T.Var("kept", found.type)
        branches = (
            T.Region(tuple(then), T.Yield((found,))),
            T.Region(tuple(orelse), T.Yield((none,))),
        )
        ctx.stmts.append(T.If((kept,), holds, *branches, ctx.span(node)))
        return _Part(kept, is_list=True)


def _are_read(ctx: FunctionContext, items: Sequence[T.Atom]) -> bool:
    """Whether these are weights themselves, `[p[k] for k in ("weight", "bias")]`."""
    made = (ctx.made.get(i.number) if isinstance(i, T.Var) else None for i in items)
    return all(isinstance(m, T.ParamRead) for m in made)


def _only(ctx: FunctionContext, node: ast.ListComp, item: T.Atom) -> T.Atom:
    """A list of this item."""
    return list_op(ctx, "make", (item,), ListType(item.type), node)


def _type(ctx: FunctionContext, node: ast.ListComp, items: Sequence[T.Atom]) -> Type:
    """The type that all items have."""
    t: Type = NOTHING
    for item in items:
        both = join(t, item.type)
        if both is None:
            ctx.fail("AC008", node.elt, f"items of types {t} and {item.type}", "items of one type")
        t = both
    return t
