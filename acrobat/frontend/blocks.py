"""Blocks of statements, and what names stand for after statements with several paths."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from ..ir import typed as T
from ..ir.type_queries import run_time_value
from ..ir.types import INT, Type
from .context import FunctionContext
from .emit import widened
from .function_values import Closure, FunctionTable, Named, Partial
from .joined_weights import as_choice, joined_choice, number_of, read_again, same_weights
from .optional import coerced, joined
from .optional_items import tell
from .scope import POISON, Binding, Conflict, Env, Poison, Recover, Size, Undefined, Unsettled
from .syntax import names_assigned
from .type_differences import difference, one_field, weights_in
from .unassigned import start
from .unsettled_paths import apart_on_paths, put_together
from .weight_choice import WeightChoice

# A lowered branch: its region, and the bindings after it (None if every path has left).
Branch = tuple[T.Region, Env | None]


def block(
    ctx: FunctionContext, body: list[ast.stmt], env: Env, before: tuple[T.Stmt, ...] = ()
) -> Branch:
    """The statements as a region that ends in an empty yield (or in what ends it early), and the
    bindings after them. The region begins with `before`."""
    return branch(ctx, env, partial(run, ctx, body), before)


def branch(
    ctx: FunctionContext,
    env: Env,
    lower: Callable[[Env], T.End | None],
    before: tuple[T.Stmt, ...] = (),
) -> Branch:
    """As `block`, for what `lower` lowers: it returns what ends the region early, if anything."""
    ctx.level += 1
    with ctx.region(before) as stmts:
        end = lower(env)
    ctx.level -= 1
    return T.Region(tuple(stmts), end or T.Yield(())), None if end is not None else env


def run(ctx: FunctionContext, body: list[ast.stmt], env: Env) -> T.End | None:
    """Lower the statements at the end of the region that is being built; returns what ends it
    early, if anything does. After a statement with an error, lowering goes on with the names that
    it assigns poisoned."""
    end: T.End | None = None
    last: ast.stmt | None = None
    for node in body:
        if end is not None and (last in ctx.decided or not _leaves(last) or _guards(node)):
            break  # with values of other types, or other weights, it would be reached
        last = node
        if end is not None:
            ctx.error("AC001", node, "this statement is never reached", "delete it")
            break
        try:
            start(ctx, node, env)
            end = ctx.statement(node, env)
        except Recover:
            for name in names_assigned([node]):
                env.names[name] = POISON
            if isinstance(node, ast.Return):  # wrong, but it does return
                end = T.Return(())
    return end


def _guards(node: ast.stmt) -> bool:
    """Whether `node` says that it is never reached."""
    match node:
        case ast.Raise() | ast.Assert(ast.Constant(False | 0)):
            return True
        case ast.Expr(ast.Call(ast.Name("assert_never") | ast.Attribute(_, "assert_never"))):
            return True
    return False


def _leaves(node: ast.stmt | None) -> bool:
    """Whether a statement that ends its block does so whatever the types of its values are."""
    if isinstance(node, ast.Match):
        return False
    if not isinstance(node, ast.If):
        return True
    return all(part and _leaves(part[-1]) for part in (node.body, node.orelse))


def merge(
    ctx: FunctionContext, node: ast.AST, branches: list[Branch], env: Env
) -> tuple[tuple[T.Var, ...], list[T.Region], bool]:
    """Join what the branches assigned: the variables that come out, the regions that yield them,
    and whether no branch falls through. `env` becomes the bindings after them."""
    falling = [e for _, e in branches if e is not None]
    outs: list[T.Var] = []
    yields: dict[int, list[T.Atom]] = {i: [] for i in range(len(branches))}
    more: dict[int, list[T.Stmt]] = {i: [] for i in range(len(branches))}
    if falling:
        env.owned = set.intersection(*(e.owned for e in falling))
    paths = [(e, more[i]) for i, (_, e) in enumerate(branches) if e is not None]
    unsettled = apart_on_paths(ctx, node, paths)
    for name in dict.fromkeys(n for e in falling for n in e.names):
        found = [e.names.get(name, Undefined(ctx.span(node))) for e in falling]
        if all(f == found[0] for f in found) and (
            not isinstance(found[0], T.Var) or found[0] == env.names.get(name)
        ):
            env.names[name] = found[0]
            continue
        right: list[Binding] = [b for b in found if not isinstance(b, Poison)]
        if 0 < len(right) < len(found):
            if ctx.signature.name in ctx.builder.asked:
                # It calls itself before the type of its result is known: other paths may determine
                # it.
                env.names[name] = right[0]
                continue
            if ctx.loops and all(isinstance(b, (T.Var, T.Const)) for b in right):
                # The error may come from types that are too narrow, and other paths widen them.
                both = _merged(ctx, node, name, right)
                env.names[name] = both if isinstance(both, T.Var) else POISON
                continue
        new = env.names[name] = _merged(ctx, node, name, found)
        weights = [as_choice(ctx, b, name) for b in found] if isinstance(new, Conflict) else [None]
        choices = [w for w in weights if w is not None]
        if len(choices) == len(found):
            if same_weights(ctx, found):
                assert isinstance(found[0], T.Var)
                env.names[name] = read_again(ctx, found[0], node)
                continue
            outs.append(T.Var(name, INT))
            env.names[name] = joined_choice(outs[-1], choices)
            first = 0
            after = iter(choices)
            for i, (_, e) in enumerate(branches):
                if e is not None:
                    choice = next(after)
                    with ctx.region() as stmts:
                        yields[i].append(number_of(ctx, node, choice, first))
                    more[i] += stmts
                    first += len(choice.keys)
            continue
        if isinstance(new, T.Var):
            outs.append(new)
            values = iter(found)
            for i, (_, e) in enumerate(branches):
                if e is not None:
                    value = next(values)
                    value = ctx.builder.number(value) if isinstance(value, Size) else value
                    assert isinstance(value, T.Atom)
                    with ctx.region() as stmts:
                        yields[i].append(coerced(ctx, value, new.type, node))
                    more[i] += stmts
    for name, conflict in unsettled.items():
        put_together(env.names, name, ctx.span(node).line, conflict)
    regions: list[T.Region] = []
    for i, (region, e) in enumerate(branches):
        end = T.Yield(tuple(yields[i])) if e is not None else region.end
        regions.append(T.Region((*region.stmts, *more[i]), end))
    return tuple(outs), regions, not falling


def _merged(ctx: FunctionContext, node: ast.AST, name: str, found: list[Binding]) -> Binding:
    whole: Type | None = None
    found = [ctx.builder.number(b) if isinstance(b, Size) else b for b in found]
    atoms = widened([b for b in found if isinstance(b, (T.Var, T.Const))])
    if len(atoms) == len(found):
        found = list(atoms)
    for binding in found:
        if isinstance(binding, (Poison, Undefined, Conflict)):
            return binding
        if isinstance(binding, Size):
            return Conflict(ctx.span(node), "one size", "another size")
        if isinstance(binding, (Named, Closure, Partial, FunctionTable)):
            return Conflict(ctx.span(node), "one function", "another function")
        if isinstance(binding, WeightChoice):
            return Conflict(ctx.span(node), "one set of weights", "another set")
        if isinstance(binding, Unsettled):
            return binding.conflict or Conflict(ctx.span(node), "a number", "no number")
        if whole is None:
            whole = binding.type
            continue
        declarations = ctx.builder.declarations
        both = joined(whole, binding.type, declarations.datas)
        both = both or declarations.unions.of_numbers(whole, binding.type)
        if both is None:
            tell(ctx, name, whole, 0, binding.type)
            types = whole, binding.type
            told = difference(*types), one_field(*types)
            return Conflict(ctx.span(node), str(whole), str(binding.type), *told)
        if not run_time_value(both):
            return Conflict(ctx.span(node), f"one {both}", f"another {both}", *weights_in(both))
        whole = both
    assert whole is not None
    var = T.Var(name, whole)
    ctx.origins[var.number] = f"joined behind line {ctx.span(node).line}"
    return var
