"""Blocks of statements, and what names stand for after statements with several paths."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import Type, join, run_time_value
from .context import FunctionContext
from .scope import POISON, Binding, Conflict, Env, Poison, Recover, Size, Undefined
from .syntax import names_assigned

# A lowered branch: its region, and the bindings after it (None if every path has left).
Branch = tuple[T.Region, Env | None]


def block(
    ctx: FunctionContext, body: list[ast.stmt], env: Env, before: tuple[T.Stmt, ...] = ()
) -> Branch:
    """The statements as a region that ends in an empty yield (or in what ends it early), and the
    bindings after them. `before` begins the region. After a statement with an error lowering goes
    on, with the names that it assigns poisoned."""
    end: T.End = T.Yield(())
    after: Env | None = env
    ctx.level += 1
    with ctx.region(before) as stmts:
        for node in body:
            if after is None:
                ctx.error("AC001", node, "this statement is never reached", "delete it")
                break
            try:
                finished = ctx.statement(node, after)
            except Recover:
                for name in names_assigned([node]):
                    after.names[name] = POISON
                if isinstance(node, ast.Return):  # wrong, but it does return
                    end, after = T.Return(()), None
                continue
            if finished is not None:
                end, after = finished, None
    ctx.level -= 1
    return T.Region(tuple(stmts), end), after


def merge(
    ctx: FunctionContext, node: ast.stmt, branches: list[Branch], env: Env
) -> tuple[tuple[T.Var, ...], list[T.Region], bool]:
    """Join what the branches assigned: the variables that come out, the regions that yield them,
    and whether no branch falls through. `env` becomes the bindings after them."""
    falling = [e for _, e in branches if e is not None]
    outs: list[T.Var] = []
    yields: dict[int, list[T.Atom]] = {i: [] for i in range(len(branches))}
    if falling:
        env.owned = set.intersection(*(e.owned for e in falling))
    for name in dict.fromkeys(n for e in falling for n in e.names):
        found = [e.names.get(name, Undefined(ctx.span(node))) for e in falling]
        if all(f == found[0] for f in found) and (
            not isinstance(found[0], T.Var) or found[0] == env.names.get(name)
        ):
            env.names[name] = found[0]
            continue
        new = env.names[name] = _merged(ctx, node, name, found)
        if isinstance(new, T.Var):
            outs.append(new)
            values = iter(found)
            for i, (_, e) in enumerate(branches):
                if e is not None:
                    value = next(values)
                    assert isinstance(value, T.Atom)
                    yields[i].append(value)
    regions: list[T.Region] = []
    for i, (region, e) in enumerate(branches):
        end = T.Yield(tuple(yields[i])) if e is not None else region.end
        regions.append(T.Region(region.stmts, end))
    return tuple(outs), regions, not falling


def _merged(ctx: FunctionContext, node: ast.stmt, name: str, found: list[Binding]) -> Binding:
    joined: Type | None = None
    for binding in found:
        if isinstance(binding, (Poison, Undefined, Conflict)):
            return binding
        if isinstance(binding, Size):
            return Conflict(ctx.span(node), "one size", "another size")
        if joined is None:
            joined = binding.type
            continue
        both = join(joined, binding.type)
        if both is None:
            return Conflict(ctx.span(node), str(joined), str(binding.type))
        if not run_time_value(both):
            return Conflict(ctx.span(node), f"one {both}", f"another {both}")
        joined = both
    assert joined is not None
    var = T.Var(name, joined)
    ctx.origins[var.number] = f"joined behind line {ctx.span(node).line}"
    return var
