"""Walking over the statements of the batched IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from . import batched as B
from . import typed as T
from .rebuild import rebuilt


def regions(stmt: B.Stmt) -> tuple[B.Region, ...]:
    """The inner regions of `stmt`, in order."""
    match stmt:
        case B.If(_, _, then, orelse, _):
            return then, orelse
        case B.Match(_, _, arms, _):
            return tuple(a.region for a in arms)
        case B.For() | B.Map():
            return (stmt.body,)
        case B.While():
            return stmt.cond, stmt.body
        case _:
            return ()


def with_regions(stmt: B.Stmt, inner: Sequence[B.Region]) -> B.Stmt:
    """`stmt` with other inner regions."""
    match stmt:
        case B.If():
            return rebuilt(stmt, then=inner[0], orelse=inner[1])
        case B.Match():
            arms = tuple(rebuilt(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return rebuilt(stmt, arms=arms)
        case B.For() | B.Map():
            return rebuilt(stmt, body=inner[0])
        case B.While():
            return rebuilt(stmt, cond=inner[0], body=inner[1])
        case _:
            return stmt


def map_bodies(module: B.Module, f: Callable[[B.Region], B.Region]) -> B.Module:
    """`module` with `f` applied to the body of every function."""
    functions = {n: rebuilt(g, body=f(g.body)) for n, g in module.functions.items()}
    return rebuilt(module, functions=functions)


def map_entry(module: B.Module, f: Callable[[B.Region], B.Region]) -> B.Module:
    """`module` with `f` applied to the body of the entry."""
    entry = module.functions[module.entry]
    functions = {**module.functions, entry.name: rebuilt(entry, body=f(entry.body))}
    return rebuilt(module, functions=functions)


def statements(region: B.Region) -> Iterator[B.Stmt]:
    """Every statement of `region`, nested ones included, outer before inner."""
    # No recursion: a generator within generators passes every item through all of them.
    work = list(reversed(region.stmts))
    while work:
        stmt = work.pop()
        yield stmt
        for sub in reversed(regions(stmt)):
            work.extend(reversed(sub.stmts))


def atoms(stmt: B.Stmt) -> tuple[T.Atom, ...]:
    """The atoms that the statement itself uses."""
    match stmt:
        case B.Run(_, _, operands, indices, _, _):
            return (*operands, *indices)
        case B.If(_, cond, _, _, _):
            return (cond,)
        case B.Match(_, subject, _, _):
            return (subject,)
        case B.For():
            return (stmt.start, stmt.stop, stmt.step, *stmt.inits)
        case B.While():
            return stmt.inits
        case B.Map():
            return (stmt.stop,)
        case B.Let(_, rhs, _):
            match rhs:
                case T.Scalar(_, args) | T.Call(_, args) | T.Construct(_, args):
                    return args
                case T.ListOp(_, args):
                    return args
                case T.Parallel(calls):
                    return tuple(a for c in calls for a in c.args)
                case T.GetField(obj, _) | T.Narrow(obj) | T.Read(obj) | B.View(obj, _):
                    return (obj,)
                case B.RowOf(source, index):
                    return (source, index)
                case B.ScalarReference(value):
                    return (value,)
    return ()


def outs(stmt: B.Stmt) -> tuple[T.Var, ...]:
    """The variables that the statement defines for those after it."""
    return () if isinstance(stmt, (B.Ghost, B.Align, B.Mark, B.Resume)) else stmt.outs


def uses(stmt: B.Stmt) -> Iterator[T.Var]:
    """The variables used by `stmt` or by anything in it, including those that are defined in it."""
    work: list[B.Stmt | T.End] = [stmt]
    while work:
        part = work.pop()
        if isinstance(part, (T.Yield, T.Return, T.Break, T.Continue, T.Raise)):
            yield from (v for v in part.values if isinstance(v, T.Var))
        elif not isinstance(part, T.Unreachable):
            yield from (a for a in atoms(part) if isinstance(a, T.Var))
            for sub in reversed(regions(part)):
                work.append(sub.end)
                work.extend(reversed(sub.stmts))
