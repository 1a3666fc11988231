"""Inline every function that does not recurse, so that its operations and the caller's
can form one static block.

A static block cannot reach across a call; after this pass only recursion still calls. The calls
of an `ab.parallel` are inlined only if all of them are straight-line code: then the blocks they
become are independent anyway. Otherwise they stay calls, because that is what gives each of them
its own depth.
"""

from __future__ import annotations

from ..analysis.call_graph import components, recursive
from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import calls as calls_of
from ..ir.rewrite import fresh_copy, map_end, map_stmt, regions, statements, with_regions
from .helpers.single_exit import single_exit

# A call tree can grow exponentially when it is unfolded; past this many statements a callee stays
# a function. Far above any cell one would write by hand.
MAX_STATEMENTS = 2000


def inline_calls(module: T.Module) -> T.Module:
    """`module` where only recursive functions and the entry are still functions."""
    keep = recursive(module)
    bodies: dict[str, T.Function] = {}
    done: dict[str, T.Function] = {}
    for group in components(module):
        for name in group:
            f = module.functions[name]
            f = rebuilt(f, body=_region(f.body, bodies))
            done[name] = f
            single = None if name in keep else single_exit(f)
            if single is not None and sum(1 for _ in statements(single.body)) <= MAX_STATEMENTS:
                bodies[name] = single
    reachable = _reachable(done, module.entry)
    return rebuilt(module, functions={n: done[n] for n in module.functions if n in reachable})


def _reachable(functions: dict[str, T.Function], entry: str) -> set[str]:
    seen: set[str] = set()
    work = [entry]
    while work:
        name = work.pop()
        if name not in seen:
            seen.add(name)
            work.extend(c.function for c in calls_of(functions[name].body))
    return seen


def _straight(f: T.Function) -> bool:
    return all(
        isinstance(s, T.Let) and not isinstance(s.rhs, (T.Call, T.Parallel)) for s in f.body.stmts
    )


def _region(region: T.Region, bodies: dict[str, T.Function]) -> T.Region:
    stmts: list[T.Stmt] = []
    env: dict[T.Var, T.Atom] = {}
    for stmt in region.stmts:
        match stmt:
            case T.Let(outs, T.Call() as call, _) if call.function in bodies:
                _splice([call], outs, bodies, stmts, env)
            case T.Let(outs, T.Parallel(calls), _) if all(
                c.function in bodies and _straight(bodies[c.function]) for c in calls
            ):
                _splice(list(calls), outs, bodies, stmts, env)
            case _:
                new = _sub(stmt, env)
                stmts.append(with_regions(new, [_region(r, bodies) for r in regions(new)]))
    return rebuilt(region, stmts=tuple(stmts), end=_sub_end(region.end, env))


def _sub(stmt: T.Stmt, env: dict[T.Var, T.Atom]) -> T.Stmt:
    return map_stmt(stmt, lambda v: env.get(v, v), lambda v: v)


def _sub_end(end: T.End, env: dict[T.Var, T.Atom]) -> T.End:
    return map_end(end, lambda v: env.get(v, v))


def _splice(
    calls: list[T.Call],
    outs: tuple[T.Var, ...],
    bodies: dict[str, T.Function],
    stmts: list[T.Stmt],
    env: dict[T.Var, T.Atom],
) -> None:
    """Append the bodies of `calls`; `env` learns what their results are now called."""
    results: list[T.Atom] = []
    for call in calls:
        callee = bodies[call.function]
        args = [env.get(a, a) if isinstance(a, T.Var) else a for a in call.args]
        body = fresh_copy(callee.body, dict(zip(callee.params, args, strict=True)))
        assert isinstance(body.end, T.Return)
        stmts.extend(body.stmts)
        results.extend(body.end.values)
    env.update(zip(outs, results, strict=True))
