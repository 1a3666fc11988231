"""Traversal of the typed IR: one place that knows what each node contains.

`map_region` rebuilds a region with every variable (definitions and uses) replaced; `uses` and
`statements` enumerate. A pass that only renames, binds or substitutes needs nothing else. What does
not change stays the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from . import typed as T
from .rebuild import rebuilt
from .type_queries import member_names

MapVar = Callable[[T.Var], T.Atom]
MapRegion = Callable[[T.Region], T.Region]


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
        case T.Op() | T.Scalar() | T.Call() | T.Construct() | T.ListOp():
            return rebuilt(rhs, args=_atoms(rhs.args, f))
        case T.Parallel(calls):
            return rebuilt(rhs, calls=tuple(rebuilt(c, args=_atoms(c.args, f)) for c in calls))
        case T.MakeTuple(items):
            return rebuilt(rhs, items=_atoms(items, f))
        case T.GetField(obj, _) | T.GetItem(obj, _) | T.Narrow(obj):
            return rebuilt(rhs, obj=_var(obj, f))
        case T.ParamRead(params, _):
            return rebuilt(rhs, params=_var(params, f))
        case T.Read(tensor):
            return rebuilt(rhs, tensor=_var(tensor, f))
        case T.Weight() | T.NextPhase():
            return rhs


def map_end(end: T.End, f: MapVar) -> T.End:
    """`end` with every variable replaced by `f`."""
    if isinstance(end, T.Unreachable):
        return end
    return rebuilt(end, values=_atoms(end.values, f))


def map_stmt(
    stmt: T.Stmt, use: MapVar, define: Callable[[T.Var], T.Var], within: MapRegion | None = None
) -> T.Stmt:
    """`stmt` with uses mapped by `use` and definitions by `define`; its inner regions are mapped by
    `within`, or in the same way without it."""
    inner = within or (lambda r: map_region(r, use, define))
    outs = tuple(define(v) for v in stmt.outs)
    match stmt:
        case T.Let(_, rhs, _):
            return rebuilt(stmt, outs=outs, rhs=map_rhs(rhs, use))
        case T.If(_, cond, then, orelse, _):
            return rebuilt(
                stmt,
                outs=outs,
                cond=_atom(cond, use),
                then=inner(then),
                orelse=inner(orelse),
            )
        case T.Match(_, subject, arms, _):
            subject = _var(subject, use)
            members = member_names(subject.type)  # fewer, where `use` gives a value of one of them
            new_arms = tuple(
                rebuilt(
                    a,
                    binds=tuple(define(v) for v in a.binds),
                    region=inner(a.region),
                )
                for a in arms
                if a.data in members
            )
            return rebuilt(stmt, outs=outs, subject=subject, arms=new_arms)
        case T.For():
            return rebuilt(
                stmt,
                outs=outs,
                index=define(stmt.index),
                start=_atom(stmt.start, use),
                stop=_atom(stmt.stop, use),
                step=_atom(stmt.step, use),
                carried=tuple(define(v) for v in stmt.carried),
                inits=_atoms(stmt.inits, use),
                body=inner(stmt.body),
            )
        case T.While():
            # Before the condition, which uses them.
            carried = tuple(define(v) for v in stmt.carried)
            return rebuilt(
                stmt,
                outs=outs,
                cond=inner(stmt.cond),
                carried=carried,
                inits=_atoms(stmt.inits, use),
                body=inner(stmt.body),
            )
        case T.Map():
            return rebuilt(
                stmt,
                outs=outs,
                index=define(stmt.index),
                stop=_atom(stmt.stop, use),
                body=inner(stmt.body),
            )


def map_region(region: T.Region, use: MapVar, define: Callable[[T.Var], T.Var]) -> T.Region:
    """`region` with uses mapped by `use` and definitions by `define`."""
    stmts = tuple(map_stmt(s, use, define) for s in region.stmts)
    return rebuilt(region, stmts=stmts, end=map_end(region.end, use))


def map_bodies(module: T.Module, f: Callable[[T.Region], T.Region]) -> T.Module:
    """`module` with `f` applied to the body of every function."""
    functions = {n: rebuilt(g, body=f(g.body)) for n, g in module.functions.items()}
    return rebuilt(module, functions=functions)


def map_vars(function: T.Function, f: Callable[[T.Var], T.Var]) -> T.Function:
    """`function` with every variable, defined or used, replaced by `f`."""
    return rebuilt(
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
    """The atoms that `stmt` itself uses, without those of its inner regions."""
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
    """`stmt` with other inner regions."""
    match stmt:
        case T.If():
            return rebuilt(stmt, then=inner[0], orelse=inner[1])
        case T.Match():
            arms = tuple(rebuilt(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return rebuilt(stmt, arms=arms)
        case T.For() | T.Map():
            return rebuilt(stmt, body=inner[0])
        case T.While():
            return rebuilt(stmt, cond=inner[0], body=inner[1])
        case T.Let():
            return stmt


def uses(region: T.Region) -> Iterator[T.Var]:
    """Every use of a variable in `region`, nested regions included; repeated per use."""
    # No recursion: a generator within generators passes every item through all of them.
    work: list[T.Region | T.Stmt | T.End] = [region]
    while work:
        part = work.pop()
        if isinstance(part, T.Region):
            work.append(part.end)
            work.extend(reversed(part.stmts))
        elif isinstance(part, (T.Yield, T.Return, T.Break, T.Continue, T.Raise)):
            yield from (v for v in part.values if isinstance(v, T.Var))
        elif not isinstance(part, T.Unreachable):
            yield from (a for a in stmt_atoms(part) if isinstance(a, T.Var))
            work.extend(reversed(regions(part)))


def statements(region: T.Region) -> Iterator[T.Stmt]:
    """Every statement of `region`, nested ones included, outer before inner."""
    work = list(reversed(region.stmts))
    while work:
        stmt = work.pop()
        yield stmt
        for sub in reversed(regions(stmt)):
            work.extend(reversed(sub.stmts))


def calls(region: T.Region) -> Iterator[T.Call]:
    """Every call in `region`, those inside `parallel` included."""
    for stmt in statements(region):
        if isinstance(stmt, T.Let):
            yield from called(stmt.rhs)


def called(rhs: object) -> tuple[T.Call, ...]:
    """The calls that a right-hand side, of the typed or the batched IR, consists of."""
    if isinstance(rhs, T.Parallel):
        return rhs.calls
    return (rhs,) if isinstance(rhs, T.Call) else ()
