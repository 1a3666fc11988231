"""Lists that need neither a header nor checks: those that a map makes, and that are only asked for
their length and read by loops over the same range, each iteration its own item."""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import atoms, regions, statements
from ..ir.types import INT

_ZERO, _ONE = T.Const(0, INT), T.Const(1, INT)


def bare_lists(body: B.Region) -> frozenset[T.Var]:
    """Such lists of the function with that body."""
    made: dict[T.Var, T.Atom] = {}  # with the number of their items
    ranges: dict[T.Var, T.Atom] = {}
    lengths: dict[T.Atom, T.Atom] = {}
    otherwise = set(_ended_with(body))
    for stmt in statements(body):
        for region in regions(stmt):
            otherwise.update(_ended_with(region))
        match stmt:
            case B.Map():
                count = ranges[stmt.index] = lengths.get(stmt.stop, stmt.stop)
                if not stmt.filtered:
                    made |= dict.fromkeys(stmt.outs, count)
            case B.For() if stmt.start == _ZERO and stmt.step == _ONE:
                ranges[stmt.index] = lengths.get(stmt.stop, stmt.stop)
                otherwise.update(v for v in stmt.inits if isinstance(v, T.Var))
            case B.Let((n,), T.ListOp("len", (T.Var() as items,)), _) if items in made:
                lengths[n] = made[items]
            case B.Let(_, T.ListOp("get", (T.Var() as items, T.Var() as at)), _) if (
                items in made and ranges.get(at) == made[items]
            ):
                pass
            case _:
                otherwise.update(a for a in atoms(stmt) if isinstance(a, T.Var))
    return frozenset(made).difference(otherwise)


def _ended_with(region: B.Region) -> list[T.Var]:
    if isinstance(region.end, T.Unreachable):
        return []
    return [v for v in region.end.values if isinstance(v, T.Var)]
