"""Move operations that do not change along a recursion out of it.

A function that calls itself with some of its arguments unchanged (the next sibling of a node has
the same parent) would recompute what depends on these alone. Such a function is split in two:

    def f(p, a, b):                        def f(p, a, b):
        x = op(p, a)                           x = op(p, a)
        ... x ... f(p, a, c) ...     ->        return f#inner(p, a, b, x)
        ... f(p, d, e) ...
                                           def f#inner(p, a, b, x):
                                               ... x ... f#inner(p, a, c, x) ...
                                               ... f(p, d, e) ...

The moved operations become an additional node, so they are moved only if there is a contraction
among them, and only from the statements at the beginning that every call executes: nothing is
computed that was not computed before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..ir import typed as T
from ..ir.names import Names, authors
from ..ir.ops import OPS
from ..ir.rebuild import rebuilt
from ..ir.rewrite import calls, fresh_copy, regions, rhs_vars, uses, with_regions
from ..ir.types import ParamsRef

MapCall = Callable[[T.Call], T.Call]


def float_invariants(module: T.Module) -> T.Module:
    """`module` with every function that has such operations split in two."""
    functions: dict[str, T.Function] = {}
    free = Names(module.functions)
    for name, function in module.functions.items():
        found = _find(function)
        if found is None:
            functions[name] = function
        else:
            inner = free.free(f"{name}#inner")
            functions[name], functions[inner] = _split(function, found, inner)
    return rebuilt(module, functions=functions)


@dataclass(frozen=True, slots=True)
class _Found:
    """The operations to take out, the other statements that they need (reads of weights and of
    fields, which both functions keep), and the arguments that must not change."""

    ops: tuple[T.Let, ...]
    reads: tuple[T.Let, ...]
    unchanged: frozenset[T.Var]


def _find(function: T.Function) -> _Found | None:
    """The operations that save the most contractions over all calls if taken out."""
    own = (c for c in calls(function.body) if c.function == function.name)
    among = Counter(_unchanged(function, c) for c in own)
    best: tuple[int, _Found] | None = None
    for unchanged in among:
        found = _invariant(_beginning(function.body), unchanged)
        saving = sum(n for others, n in among.items() if unchanged <= others)
        saving *= sum(_is_contraction(s) for s in found.ops)
        if saving and (best is None or saving > best[0]):
            best = saving, found
    return None if best is None else best[1]


def _unchanged(function: T.Function, call: T.Call) -> frozenset[T.Var]:
    pairs = zip(function.params, call.args, strict=True)
    return frozenset(param for param, arg in pairs if arg == param)


def _beginning(body: T.Region) -> list[T.Let]:
    """The statements that every call executes first."""
    found: list[T.Let] = []
    for stmt in body.stmts:
        if not isinstance(stmt, T.Let) or isinstance(stmt.rhs, T.NextPhase):
            break
        found.append(stmt)
    return found


def _invariant(stmts: Sequence[T.Let], unchanged: frozenset[T.Var]) -> _Found:
    """The operations among `stmts` whose operands depend on `unchanged` alone. Operations on
    weights alone stay: they are folded later."""
    known = set(unchanged)
    weights = {v for v in unchanged if isinstance(v.type, ParamsRef)}
    ops: list[T.Let] = []
    reads: list[T.Let] = []
    for stmt in stmts:
        operands = set(rhs_vars(stmt.rhs))
        if not isinstance(stmt.rhs, (T.Op, T.ParamRead, T.GetField, T.Narrow)):
            continue
        if not operands <= known:
            continue
        known.update(stmt.outs)
        if operands <= weights:
            weights.update(stmt.outs)
        moves = isinstance(stmt.rhs, T.Op) and not operands <= weights
        (ops if moves else reads).append(stmt)
    needed = {v for s in ops for v in (*s.outs, *rhs_vars(s.rhs))}
    while more := {v for s in reads if needed & set(s.outs) for v in rhs_vars(s.rhs)} - needed:
        needed |= more
    return _Found(tuple(ops), tuple(reads), frozenset(unchanged & needed))


def _is_contraction(stmt: T.Let) -> bool:
    return isinstance(stmt.rhs, T.Op) and OPS[stmt.rhs.name].contracts


def _split(function: T.Function, found: _Found, inner: str) -> tuple[T.Function, T.Function]:
    """Two functions: `function`, which computes the invariants and calls `inner`; and `inner`."""
    taken = {v for s in found.ops for v in s.outs}
    rest = replace(
        function.body,
        stmts=tuple(s for s in function.body.stmts if taken.isdisjoint(s.outs)),
    )
    used = set(uses(rest))
    passed = tuple(v for s in found.ops for v in s.outs if v in used)

    def again(call: T.Call) -> T.Call:
        if call.function != function.name or not found.unchanged <= _unchanged(function, call):
            return call
        return T.Call(inner, (*call.args, *passed))

    params = (*function.params, *passed)
    rest = _map_calls(rest, again)
    kept = _kept(params, rest, inner)

    def shorter(call: T.Call) -> T.Call:
        if call.function != inner:
            return call
        return T.Call(inner, tuple(a for a, keep in zip(call.args, kept, strict=True) if keep))

    rest = _map_calls(rest, shorter)
    copies: dict[T.Var, T.Atom] = {
        v: T.Var(v.name, v.type) for v, keep in zip(params, kept, strict=True) if keep
    }
    body = fresh_copy(rest, copies)
    new_params = tuple(v for v in copies.values() if isinstance(v, T.Var))
    worker = T.Function(inner, new_params, function.results, body, function.span)

    results = tuple(T.Var(authors(function.name), t) for t in function.results)
    moved = {v for s in (*found.reads, *found.ops) for v in s.outs}
    beginning = [s for s in _beginning(function.body) if not moved.isdisjoint(s.outs)]
    call = T.Let(results, shorter(T.Call(inner, params)))
    outer = T.Region((*beginning, call), T.Return(results))
    return replace(function, body=outer), worker


def _kept(params: Sequence[T.Var], body: T.Region, name: str) -> list[bool]:
    """Which parameters of the function `name` are used for more than being passed on unchanged."""
    count = Counter(uses(body))
    for call in calls(body):
        if call.function == name:
            count.subtract(p for p, a in zip(params, call.args, strict=True) if a == p)
    return [count[p] > 0 for p in params]


def _map_calls(region: T.Region, f: MapCall) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Call):
            stmt = replace(stmt, rhs=f(stmt.rhs))
        elif isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Parallel):
            stmt = replace(stmt, rhs=T.Parallel(tuple(map(f, stmt.rhs.calls))))
        else:
            stmt = with_regions(stmt, [_map_calls(r, f) for r in regions(stmt)])
        stmts.append(stmt)
    return replace(region, stmts=tuple(stmts))
