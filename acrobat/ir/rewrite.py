"""Traversal of the typed IR: one place that knows what each node contains.

`map_region` rebuilds a region with every variable (definitions and uses) replaced; `uses` and
`definitions` enumerate. A pass that only renames, binds or substitutes needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from . import typed as T

MapVar = Callable[[T.Var], T.Atom]


def _atom(atom: T.Atom, f: MapVar) -> T.Atom:
    return f(atom) if isinstance(atom, T.Var) else atom


def _atoms(atoms: tuple[T.Atom, ...], f: MapVar) -> tuple[T.Atom, ...]:
    return tuple(_atom(a, f) for a in atoms)


def _var(var: T.Var, f: MapVar) -> T.Var:
    out = f(var)
    assert isinstance(out, T.Var), f"{var} stands where only a variable may, but became {out}"
    return out


def map_rhs(rhs: T.Rhs, f: MapVar) -> T.Rhs:
    """`rhs` with every variable it uses replaced by `f`."""
    match rhs:
        case T.Op(name, args, attrs):
            return T.Op(name, _atoms(args, f), attrs)
        case T.Scalar(op, args):
            return T.Scalar(op, _atoms(args, f))
        case T.ParamRead(params, field):
            return T.ParamRead(_var(params, f), field)
        case T.Weight():
            return rhs
        case T.Call(function, args):
            return T.Call(function, _atoms(args, f))
        case T.Parallel(calls):
            return T.Parallel(tuple(T.Call(c.function, _atoms(c.args, f)) for c in calls))
        case T.GetField(obj, field):
            return T.GetField(_var(obj, f), field)
        case T.Construct(data, args):
            return T.Construct(data, _atoms(args, f))
        case T.MakeTuple(items):
            return T.MakeTuple(_atoms(items, f))
        case T.GetItem(obj, index):
            return T.GetItem(_var(obj, f), index)
        case T.ListOp(op, args):
            return T.ListOp(op, _atoms(args, f))
        case T.Read(tensor):
            return T.Read(_var(tensor, f))
        case T.Narrow(obj):
            return T.Narrow(_var(obj, f))
        case T.NextPhase():
            return rhs


def map_end(end: T.End, f: MapVar) -> T.End:
    """`end` with every variable replaced by `f`."""
    if isinstance(end, T.Unreachable):
        return end
    return replace(end, values=_atoms(end.values, f))


def map_stmt(stmt: T.Stmt, use: MapVar, define: Callable[[T.Var], T.Var]) -> T.Stmt:
    """`stmt` with uses mapped by `use` and definitions by `define`."""
    outs = tuple(define(v) for v in stmt.outs)
    match stmt:
        case T.Let(_, rhs, span):
            return T.Let(outs, map_rhs(rhs, use), span)
        case T.If(_, cond, then, orelse, span):
            return T.If(
                outs,
                _atom(cond, use),
                map_region(then, use, define),
                map_region(orelse, use, define),
                span,
            )
        case T.Match(_, subject, arms, span):
            new_arms = tuple(
                T.Arm(a.data, tuple(define(v) for v in a.binds), map_region(a.region, use, define))
                for a in arms
            )
            return T.Match(outs, _var(subject, use), new_arms, span)
        case T.For():
            return T.For(
                outs,
                define(stmt.index),
                _atom(stmt.start, use),
                _atom(stmt.stop, use),
                _atom(stmt.step, use),
                tuple(define(v) for v in stmt.carried),
                _atoms(stmt.inits, use),
                map_region(stmt.body, use, define),
                stmt.span,
            )
        case T.While():
            carried = tuple(define(v) for v in stmt.carried)
            return T.While(
                outs,
                map_region(stmt.cond, use, define),
                carried,
                _atoms(stmt.inits, use),
                map_region(stmt.body, use, define),
                stmt.span,
            )
        case T.Map():
            return T.Map(
                outs,
                define(stmt.index),
                _atom(stmt.stop, use),
                map_region(stmt.body, use, define),
                stmt.filtered,
                stmt.span,
            )


def map_region(region: T.Region, use: MapVar, define: Callable[[T.Var], T.Var]) -> T.Region:
    """`region` with uses mapped by `use` and definitions by `define`."""
    stmts = tuple(map_stmt(s, use, define) for s in region.stmts)
    return T.Region(stmts, map_end(region.end, use))


def map_vars(function: T.Function, f: Callable[[T.Var], T.Var]) -> T.Function:
    """`function` with every variable, defined or used, replaced by `f`."""
    return replace(
        function,
        params=tuple(f(v) for v in function.params),
        body=map_region(function.body, f, f),
    )


def substitute(region: T.Region, env: dict[T.Var, T.Atom]) -> T.Region:
    """`region` with the variables of `env` replaced where they are used."""
    if not env:
        return region
    return map_region(region, lambda v: env.get(v, v), lambda v: v)


def fresh_copy(region: T.Region, env: dict[T.Var, T.Atom]) -> T.Region:
    """A copy of `region` whose own variables are new; free variables go through `env`."""
    renamed: dict[T.Var, T.Atom] = dict(env)

    def define(var: T.Var) -> T.Var:
        new = T.Var(var.name, var.type)
        renamed[var] = new
        return new

    # `outs` of a statement are mapped before its inner regions, which is fine because no region
    # uses the outs of its own statement.
    return map_region(region, lambda v: renamed.get(v, v), define)


def rhs_atoms(rhs: T.Rhs) -> tuple[T.Atom, ...]:
    """The atoms that `rhs` uses."""
    match rhs:
        case (
            T.Op(_, args, _)
            | T.Scalar(_, args)
            | T.Call(_, args)
            | T.Construct(_, args)
            | T.ListOp(_, args)
        ):
            return args
        case T.MakeTuple(items):
            return items
        case T.Parallel(calls):
            return tuple(a for c in calls for a in c.args)
        case T.GetField(obj, _) | T.GetItem(obj, _) | T.Read(obj) | T.Narrow(obj):
            return (obj,)
        case T.ParamRead(params, _):
            return (params,)
        case T.Weight() | T.NextPhase():
            return ()


def rhs_vars(rhs: T.Rhs) -> list[T.Var]:
    """The variables that `rhs` uses."""
    return [a for a in rhs_atoms(rhs) if isinstance(a, T.Var)]


def stmt_atoms(stmt: T.Stmt) -> tuple[T.Atom, ...]:
    """The atoms that `stmt` itself uses, those of its inner regions not included."""
    match stmt:
        case T.Let(_, rhs, _):
            return rhs_atoms(rhs)
        case T.If(_, cond, _, _, _):
            return (cond,)
        case T.Match(_, subject, _, _):
            return (subject,)
        case T.For():
            return (stmt.start, stmt.stop, stmt.step, *stmt.inits)
        case T.While():
            return stmt.inits
        case T.Map():
            return (stmt.stop,)


def regions(stmt: T.Stmt) -> tuple[T.Region, ...]:
    """The inner regions of `stmt`, in order."""
    match stmt:
        case T.Let():
            return ()
        case T.If(_, _, then, orelse, _):
            return then, orelse
        case T.Match(_, _, arms, _):
            return tuple(a.region for a in arms)
        case T.For() | T.Map():
            return (stmt.body,)
        case T.While():
            return stmt.cond, stmt.body


def with_regions(stmt: T.Stmt, inner: Sequence[T.Region]) -> T.Stmt:
    """`stmt` with other inner regions; itself if they are the same objects."""
    if all(a is b for a, b in zip(inner, regions(stmt), strict=True)):
        return stmt
    match stmt:
        case T.If():
            return replace(stmt, then=inner[0], orelse=inner[1])
        case T.Match():
            arms = tuple(replace(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return replace(stmt, arms=arms)
        case T.For() | T.Map():
            return replace(stmt, body=inner[0])
        case T.While():
            return replace(stmt, cond=inner[0], body=inner[1])
        case T.Let():
            return stmt


def uses(region: T.Region) -> Iterator[T.Var]:
    """Every use of a variable in `region`, nested regions included; repeated per use."""
    for stmt in region.stmts:
        yield from (a for a in stmt_atoms(stmt) if isinstance(a, T.Var))
        for sub in regions(stmt):
            yield from uses(sub)
    if not isinstance(region.end, T.Unreachable):
        yield from (v for v in region.end.values if isinstance(v, T.Var))


def statements(region: T.Region) -> Iterator[T.Stmt]:
    """Every statement of `region`, nested ones included, outer before inner."""
    for stmt in region.stmts:
        yield stmt
        for sub in regions(stmt):
            yield from statements(sub)


def calls(region: T.Region) -> Iterator[T.Call]:
    """Every call in `region`, those inside `parallel` included."""
    for stmt in statements(region):
        if isinstance(stmt, T.Let):
            yield from called(stmt.rhs)


def called(rhs: object) -> tuple[T.Call, ...]:
    """The calls that a right-hand side is, of the typed or the batched IR."""
    if isinstance(rhs, T.Parallel):
        return rhs.calls
    return (rhs,) if isinstance(rhs, T.Call) else ()
