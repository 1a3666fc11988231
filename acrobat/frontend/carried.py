"""The variables that a loop carries from one iteration to the next, and their types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..ir import typed as T
from ..ir.type_queries import nesting, run_time_value
from ..ir.types import BOOL, FLOAT, INT, Type
from ..limits import MAX_TYPE_DEPTH
from .context import FunctionContext
from .emit import widen
from .fixed_sizes import size_of
from .function_values import Closure, FunctionTable, Named, Partial
from .number_parts import with_tensors
from .optional import coerced, joined, takes
from .scope import ITEMS, Binding, Conflict, Env, Loop, Poison, Size, Undefined, Unsettled
from .syntax import names_mutated
from .type_differences import difference, one_field, weights_in
from .unassigned import with_flags
from .unsettled import everywhere, meets
from .unsettled_paths import flag, put_together, taken_apart
from .weight_choice import WeightChoice

_H = TypeVar("_H")


@dataclass(frozen=True, slots=True)
class Body(Generic[_H]):
    """A loop's body, lowered: its head (the index of a `for`, the condition of a `while`), its
    region, and the bindings after it (None if every path has left)."""

    head: _H
    region: T.Region
    after: Env | None


@dataclass(frozen=True, slots=True)
class Carried(Generic[_H]):
    """A lowered loop: its carried variables, which start as `inits`, have their final types."""

    head: _H
    body: T.Region
    carried: dict[str, T.Var]
    inits: tuple[T.Atom, ...]
    breaks: bool


def carry(
    ctx: FunctionContext,
    node: ast.For | ast.While,
    names: set[str],
    env: Env,
    iteration: Callable[[Env], Body[_H]],
) -> Carried[_H]:
    """Lower a loop's body until the types of its carried variables, the names that are bound before
    the loop and assigned inside it, hold for every iteration. `names` are those that the body
    assigns."""
    changed = with_flags(ctx, names) | names_mutated(node.body)
    line = ctx.span(node).line
    start, fixed = _initial(ctx, node, changed, env)
    types: dict[str, Type] = {}
    for name, atom in start.items():
        declared = ctx.declared.get(name, atom.type)
        types[name] = (
            declared if takes(ctx.builder.declarations.datas, atom.type, declared) else atom.type
        )
    owned = {o for o in env.owned if o.removesuffix(ITEMS) in start}
    while True:
        errors = len(ctx.reporter.errors)
        inner = env.copy()
        inner.owned = owned | {o for o in env.owned if o.removesuffix(ITEMS) not in start}
        before = set(inner.owned)
        carried = {n: T.Var(n, t) for n, t in types.items()}
        for name, var in carried.items():
            origin = start[name]
            note = ctx.origins.get(origin.number, "") if isinstance(origin, T.Var) else ""
            ctx.origins[var.number] = note
        inner.names.update(fixed)
        inner.names.update(carried)
        _put_together(inner, carried, line)
        loop = Loop(carried)
        ctx.loops.append(loop)
        try:
            body = iteration(inner)
        finally:
            ctx.loops.pop()
        region = body.region
        if body.after is not None:
            with ctx.region(region.stmts) as stmts:
                values = leave(ctx, node, loop, body.after)
            region = T.Region(tuple(stmts), T.Yield(values))
            loop.owned.append(body.after.owned)
        grown = _grown(ctx, node, start, types, loop)
        kept = owned.intersection(*loop.owned) if loop.owned else owned
        if grown == types and kept == owned:
            break
        # These errors come from types that turned out too narrow.
        del ctx.reporter.errors[errors:]
        types, owned = grown, kept
    env.owned.intersection_update(before, *loop.owned, *loop.left)
    inits = tuple(coerced(ctx, atom, types[name], node) for name, atom in start.items())
    return Carried(body.head, region, carried, inits, loop.breaks)


def _initial(
    ctx: FunctionContext, node: ast.AST, changed: set[str], env: Env
) -> tuple[dict[str, T.Atom], dict[str, Binding]]:
    """The values that carried names have before the loop, and the bindings inside it of names that
    cannot be carried."""
    start: dict[str, T.Atom] = {}
    fixed: dict[str, Binding] = {}
    for name in [n for n in env.names if n in changed]:
        value = env.names[name]
        if isinstance(value, Unsettled):
            start[name], start[flag(name)] = value.value, value.number
            continue
        if isinstance(value, Size):
            value = ctx.builder.number(value)
        if isinstance(value, Size):
            fixed[name] = Conflict(ctx.span(node), "one size", "another size")
        if isinstance(value, (Named, Closure, Partial, FunctionTable)):
            fixed[name] = Conflict(ctx.span(node), "one function", "another function")
        if isinstance(value, WeightChoice):
            fixed[name] = Conflict(ctx.span(node), "one set of weights", "another set")
        if not isinstance(value, (T.Var, T.Const)):
            continue
        if run_time_value(value.type):
            start[name] = value
        else:
            one, another = f"one {value.type}", f"another {value.type}"
            fixed[name] = Conflict(ctx.span(node), one, another, *weights_in(value.type))
    return start, fixed


def leave(ctx: FunctionContext, node: ast.AST, loop: Loop, env: Env) -> tuple[T.Atom, ...]:
    """The values of the loop's variables where an iteration ends or leaves the loop."""
    found: list[T.Atom] = []
    flags: dict[str, Binding] = {}
    for name, var in loop.carried.items():
        value = flags.get(name) or env.names[name]
        if flag(name) in loop.carried or isinstance(value, Unsettled):
            value, flags[flag(name)] = taken_apart(ctx, node, value, var.type)
        match value:
            case T.Var() | T.Const():
                # What only the instance knows the size of makes the variable one of these.
                grows = size_of(value.type, var.type) is not None
                found.append(value if grows else coerced(ctx, value, var.type, node))
            case Poison():
                found.append(var)
            case Size() if isinstance(number := ctx.builder.number(value), T.Const):
                found.append(number)
            case _:
                # Reading the name reports what is wrong with it.
                ctx.expression(ast.copy_location(ast.Name(name, ast.Load()), node), env)
    values = tuple(found)
    loop.values.append(values)
    return values


def _grown(
    ctx: FunctionContext,
    node: ast.AST,
    start: dict[str, T.Atom],
    types: dict[str, Type],
    loop: Loop,
) -> dict[str, Type]:
    """The types of the variables joined with what the iterations made of them."""
    grown = dict(types)
    for values in loop.values:
        for name, value in zip(loop.carried, values, strict=True):
            declarations = ctx.builder.declarations
            both = joined(grown[name], value.type, declarations.datas)
            if value.type == FLOAT and grown[name] in (INT, FLOAT):
                # An int constant before the loop becomes that float.
                start[name] = widen(start[name], FLOAT)
                both = FLOAT if start[name].type == FLOAT else both
            if both is None and meets(start[name].type, value.type):
                # As long as no iteration has run, it is the number.
                start[name] = everywhere(ctx, node, start[name], value.type)
                start[flag(name)], grown[flag(name)] = T.Const(True, BOOL), BOOL
                both = start[name].type
            if both is None:
                # A number becomes a tensor beside tensors of rank 0: `loss = 0.0`, `loss += ...`.
                start[name] = with_tensors(ctx, node, start[name], value.type) or start[name]
                both = joined(start[name].type, value.type)
            both = both or declarations.unions.of_numbers(grown[name], value.type)
            if both is None or not run_time_value(both):
                before = start[name].type
                after = grown[name] if value.type == before else value.type
                ctx.fail(
                    "AC008",
                    node,
                    f"{name!r} is {before} before the loop and {after} after an iteration"
                    + difference(before, after),
                    one_field(before, after) or "keep its type, or use two names",
                )
            if nesting(both) > MAX_TYPE_DEPTH:
                ctx.fail(
                    "AC008",
                    node,
                    f"{name!r} is a list that every iteration puts into another list: its type has "
                    "no end",
                    "an @ab.data class that refers to itself",
                )
            grown[name] = both
    return grown


def _put_together(env: Env, carried: dict[str, T.Var], line: int) -> None:
    """Bind the names that may still be numbers to what is carried of them."""
    for name in carried:
        if flag(name) in carried:
            put_together(env.names, name, line, None)


def loop_results(
    ctx: FunctionContext, node: ast.stmt, carried: dict[str, T.Var], env: Env, assigned: set[str]
) -> tuple[T.Var, ...]:
    """The loop's results, bound in `env`; names that exist only within an iteration are undefined
    after the loop."""
    outs = {n: T.Var(n, v.type) for n, v in carried.items()}
    for out in outs.values():
        ctx.origins[out.number] = f"computed by the loop in line {ctx.span(node).line}"
    for name in assigned - set(outs):
        if name in env.names and isinstance(env.names[name], Poison):
            continue
        env.names[name] = Undefined(ctx.span(node))
    env.names.update(outs)
    _put_together(env, outs, ctx.span(node).line)
    return tuple(outs.values())
