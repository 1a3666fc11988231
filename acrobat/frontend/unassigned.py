"""Names that a loop assigns and that are read after it: `for step in range(n): ...`, `return step`.

If the loop ends before it assigns them, plain Python raises UnboundLocalError. Such a name is None
before the loop, and each read tests it: the instance is at fault. Where None may be assigned, too,
a flag that every assignment sets is tested instead. A loop's target that had a value before the
loop keeps that value if there is no iteration. A name is treated like this only once a read of it
has been found, in a second lowering of its function, because a name that no statement reads after
its loop need not be carried from one iteration to the next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..ir import typed as T
from ..ir.span import Span
from ..ir.types import BOOL, NONE, OptionalType
from ..lang.diagnostics import Diagnostic
from .context import FunctionContext
from .presence import not_none, present, without_none
from .scope import Env, Undefined
from .signatures import ModuleBuilder
from .surely_bound import surely_bound
from .syntax import names_assigned


def start(ctx: FunctionContext, node: ast.stmt, env: Env) -> None:
    """Bind the names that the loop `node` may leave unassigned, before it is lowered."""
    names = ctx.builder.unassigned.get(ctx.span(node))
    if not names or not isinstance(node, (ast.For, ast.While)):
        return
    may_be = _surely_assigned(node)
    if node.orelse:  # which the author may have written for what no `break` has assigned
        may_be |= names_assigned(node.body)
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
        at_breaks = list(_before_breaks(node.body, set()))
        may_be |= set.intersection(*at_breaks) if at_breaks else set()
    for name in names & may_be:
        if isinstance(env.names.get(name), Undefined | None):
            none = T.Construct("None", ())
            env.names[name] = ctx.let(none, ctx.builder.declarations.none(), node, name)
            ctx.unassigned.add(name)
            env.names[_flag(name)] = T.Const(False, BOOL)


def note_assigned(ctx: FunctionContext, name: str, value: T.Atom, env: Env) -> None:
    """Note that such a name, `name`, is assigned `value`."""
    env.names[_flag(name)] = T.Const(True, BOOL)
    of_none = value.type == NONE or isinstance(value.type, OptionalType)
    if of_none or without_none(value.type) is not None:
        ctx.may_be_none.add(name)


def with_flags(ctx: FunctionContext, names: set[str]) -> set[str]:
    """`names`, which a loop assigns, with the flags that it sets."""
    return names | {_flag(name) for name in names & ctx.unassigned}


def _flag(name: str) -> str:
    return f"{name} has a value"  # a name that no model can use


def read_after(ctx: FunctionContext, node: ast.For) -> set[str]:
    """The names that the loop `node` or one around it assigns and that are read after that loop, as
    far as that has been found."""
    return ctx.unassigned | ctx.builder.unassigned.get(ctx.span(node), set())


def _surely_assigned(node: ast.For | ast.While) -> set[str]:
    """The names that every complete iteration assigns, or a loop inside it."""
    found: set[str] = set()
    for stmt in node.body:
        if isinstance(stmt, (ast.For, ast.While)):
            found |= _surely_assigned(stmt)
        elif isinstance(stmt, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            found |= names_assigned([stmt])
        elif isinstance(stmt, (ast.If, ast.Expr)):
            found |= surely_bound(stmt.test if isinstance(stmt, ast.If) else stmt.value)
    if isinstance(node, ast.For):
        return found | {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return found | surely_bound(node.test)


def _before_breaks(body: list[ast.stmt], before: set[str]) -> Iterator[set[str]]:
    """For each `break` of a loop with this body, the names that are surely assigned before it,
    besides `before`."""
    known = set(before)
    for stmt in body:
        match stmt:
            case ast.Break():
                yield known
                return
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                known |= names_assigned([stmt])
            case ast.If(_, then, orelse):
                yield from _before_breaks(then, known)
                yield from _before_breaks(orelse, known)
                both = names_assigned(then) & names_assigned(orelse)
                known |= both if not _nested(then) and not _nested(orelse) else set()
            case ast.For(orelse=orelse) | ast.While(orelse=orelse):
                yield from _before_breaks(orelse, known)
            case ast.Match(_, cases):
                for case in cases:
                    yield from _before_breaks(case.body, known)


def _nested(body: list[ast.stmt]) -> bool:
    """Whether some of the statements may not run to their end."""
    return any(not isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)) for s in body)


def assigned(ctx: FunctionContext, node: ast.Name, value: T.Atom, env: Env) -> T.Atom:
    """The value of a name that a loop may have left unassigned; the instance is at fault if it
    has."""
    fault = (
        f"UnboundLocalError: cannot access local variable {node.id!r} where it is not associated "
        "with a value"
    )
    flag = env.names.get(_flag(node.id))
    if node.id in ctx.may_be_none:
        if isinstance(flag, T.Var):
            regions = T.Region((), T.Yield(())), T.Region((), T.Raise((fault,), ()))
            ctx.stmts.append(T.If((), flag, *regions, ctx.span(node)))
            env.names[_flag(node.id)] = T.Const(True, BOOL)
        return value
    if without_none(value.type) is not None:
        found = env.names[node.id] = present(ctx, node, value, fault)
        return found
    return not_none(ctx, node, value, env, fault)


def to_try(builder: ModuleBuilder, errors: Sequence[Diagnostic]) -> dict[Span, set[str]]:
    """The names whose reads are among `errors`, by the loop that may leave them unassigned, without
    those that have been tried before."""
    told = {e.message for e in errors}
    found: dict[Span, set[str]] = {}
    for span, name in builder.missed - builder.tried:
        if message(name, span) in told:
            found.setdefault(span, set()).add(name)
            builder.tried.add((span, name))
    return found


def message(name: str, span: Span) -> str:
    """The error for reading a name that the statement at `span` assigns on some paths only."""
    return f"{name!r} is assigned on some paths only (line {span.line})"
