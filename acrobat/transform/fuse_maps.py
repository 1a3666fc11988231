"""Map fusion: comprehensions over the same range become one.

    a = map i in range(n):              b = map i in range(n):
        yield x[i] @ w                      t = x[i] @ w
    b = map i in range(n):      ->          yield tanh(t + v)
        yield tanh(a[i] + v)

A matrix whose number of rows only the instance knows is a list of its rows, and every operation on
it a map. In one map, the operations on a row become one static block: one node instead of one for
each operation. If the earlier map is needed in other ways, too, its results remain.

The earlier map moves down to the later one. It must be straight-line code, with inner maps of this
kind, so that its iterations take equally many depths; neither map may suspend.
"""

from __future__ import annotations

from collections import Counter

from ..analysis.used import typed_uses
from ..ir import typed as T
from ..ir.exits import Exits
from ..ir.once_per_node import OncePerNode
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_bodies, regions, statements, substitute, uses, with_regions
from .helpers.list_lengths import ListLengths

_SUSPENDS = (T.Call, T.Parallel, T.Read, T.NextPhase)
# Arithmetic that may be the instance's fault.
_MAY_FAIL = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "neg", "int", "round", "abs")
# A map is fused with maps among as many statements before it.
_REACH = 200


def fuse_maps(module: T.Module) -> T.Module:
    """`module` with such maps in one."""
    return map_bodies(module, _fused)


def _fused(body: T.Region) -> T.Region:
    if not any(isinstance(s, T.Map) for s in statements(body)):
        return body
    named = ListLengths(body).with_one_name(body)
    found = _Fusion(named).region(named)
    return body if found is named else found


class _Fusion:
    """The maps of a function."""

    def __init__(self, body: T.Region) -> None:
        self.count = Counter(uses(body))
        self.uses, self.exits = typed_uses(), Exits()
        self.suspends = OncePerNode(_suspends)
        self.leaves = OncePerNode(self._leaves)

    def region(self, region: T.Region) -> T.Region:
        """`region` with its maps fused, outer ones first: that brings inner ones together."""
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            if isinstance(stmt, T.Map) and not stmt.filtered and not self.suspends(stmt):
                stmt = self._absorbing(stmts, stmt)
            stmts.append(stmt)
        inner = [with_regions(s, list(map(self.region, regions(s)))) for s in stmts]
        return rebuilt(region, stmts=tuple(inner))

    def _absorbing(self, before: list[T.Stmt], later: T.Map) -> T.Map:
        """`later` with the maps among `before` that it can be fused with; these are removed."""
        between: set[T.Var] = set()  # what the statements between the two maps use
        fails = self.exits.raises(later)  # or one of these
        for at in range(len(before) - 1, max(-1, len(before) - 1 - _REACH), -1):
            stmt = before[at]
            if self.suspends(stmt) or self.leaves(stmt):
                break
            if (
                isinstance(stmt, T.Map)
                and stmt.stop == later.stop
                and _is_straight(stmt)
                and between.isdisjoint(stmt.outs)
                and not (fails and _may_fail(stmt))
                and self._takes_only_items(later, stmt)
            ):
                later = self._in_one(stmt, later)
                del before[at]
            else:
                between |= self.uses(stmt)
                fails |= self.exits.raises(stmt)
        return later

    def _leaves(self, stmt: T.Stmt) -> bool:
        return self.exits.leaves(T.Region((stmt,), T.Yield(())))

    def _takes_only_items(self, later: T.Map, earlier: T.Map) -> bool:
        """Whether every iteration of `later` uses no more than that of `earlier` computes."""
        if self.uses(later).isdisjoint(earlier.outs):
            return True
        used = Counter(v for v in uses(later.body) if v in earlier.outs)
        return used == Counter(source for _, source in _taken(later, earlier))

    def _in_one(self, earlier: T.Map, later: T.Map) -> T.Map:
        first = substitute(earlier.body, {earlier.index: later.index})
        assert isinstance(first.end, T.Yield) and isinstance(later.body.end, T.Yield)
        values = dict(zip(earlier.outs, first.end.values, strict=True))
        items: dict[T.Var, T.Atom] = {}
        for item, source in _taken(later, earlier):
            items[item] = values[source]
            self.count[source] -= 1
            self._count(values[source], self.count[item])
        kept = [v for v in earlier.outs if self.count[v] > 0]
        for out in set(earlier.outs).difference(kept):
            self._count(values[out], -1)
        second = substitute(_without(later.body, items), items)
        assert isinstance(second.end, T.Yield)
        end = T.Yield((*(values[v] for v in kept), *second.end.values))
        body = T.Region((*first.stmts, *second.stmts), end)
        return rebuilt(later, outs=(*kept, *later.outs), body=body)

    def _count(self, value: T.Atom, more: int) -> None:
        if isinstance(value, T.Var):
            self.count[value] += more


def _suspends(stmt: T.Stmt) -> bool:
    return any(
        isinstance(s, T.Let) and isinstance(s.rhs, _SUSPENDS)
        for s in statements(T.Region((stmt,), T.Yield(())))
    )


def _is_straight(stmt: T.Map) -> bool:
    return not stmt.filtered and all(
        (isinstance(s, T.Map) and not s.filtered)
        or (isinstance(s, T.Let) and not isinstance(s.rhs, _SUSPENDS))
        for s in statements(stmt.body)
    )


def _may_fail(stmt: T.Map) -> bool:
    """Whether a statement of `stmt` may raise, but for the items that its iterations take from
    lists in turn."""
    indices = {stmt.index} | {s.index for s in statements(stmt.body) if isinstance(s, T.Map)}
    for s in statements(stmt.body):
        match s:
            case T.Let(_, T.ListOp("get", (_, at))):
                if at not in indices:
                    return True
            case T.Let(_, T.ListOp("set" | "remove")) | T.Let(_, T.Op("lookup")):
                return True
            case T.Let(_, T.Scalar(op)) if op in _MAY_FAIL:
                return True
    return False


def _taken(later: T.Map, earlier: T.Map) -> list[tuple[T.Var, T.Var]]:
    """The variables of `later` that are the item of their own iteration of a list that `earlier`
    makes, each with that list."""
    found: list[tuple[T.Var, T.Var]] = []
    for stmt in statements(later.body):
        match stmt:
            case T.Let((item,), T.ListOp("get", (T.Var() as source, later.index))):
                if source in earlier.outs:
                    found.append((item, source))
    return found


def _without(region: T.Region, outs: dict[T.Var, T.Atom]) -> T.Region:
    kept = [s for s in region.stmts if not (len(s.outs) == 1 and s.outs[0] in outs)]
    inner = [with_regions(s, [_without(r, outs) for r in regions(s)]) for s in kept]
    return rebuilt(region, stmts=tuple(inner))
