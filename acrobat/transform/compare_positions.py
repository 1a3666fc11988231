"""One-hot vectors of an index that the model computes: a comparison takes the place of a decision.

`ops.one_hot(i, n)` is a row of the identity, and a row is found by a number of the instance. If i
is an argmax, the instance would suspend until that number is known, although only tensors are
computed from the vector. Compared with the positions, the index stays a tensor:

    j = argmax(x)                              j = argmax(x)
    i = read j                         ->      i = read j
    hot = lookup(eye(n), i)                    hot = equal(positions(n), j)

Now `hot` and what follows are part of the static block that computes x, and the author's own
decision on i (is it the stop symbol?) suspends later, together with those that follow. The identity
is not needed either: of a vocabulary's size, it may be larger than all weights.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_bodies, regions, statements, with_regions
from ..ir.types import TensorType

# Numbers from here on are no longer exact in float32.
_MOST = 1 << 24


def compare_positions(module: T.Module) -> T.Module:
    """`module` with comparisons in place of one-hot vectors of an argmax."""
    return map_bodies(module, _compared)


def _compared(body: T.Region) -> T.Region:
    made = {s.outs[0]: s.rhs for s in statements(body) if isinstance(s, T.Let) and s.outs}
    return _in_region(body, made)


def _in_region(region: T.Region, made: Mapping[T.Var, T.Rhs]) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        if not isinstance(stmt, T.Let):
            stmts.append(with_regions(stmt, [_in_region(r, made) for r in regions(stmt)]))
            continue
        index = _compared_index(stmt, made)
        if index is not None:
            (hot,) = stmt.outs
            assert isinstance(hot.type, TensorType)
            positions = T.Var("positions", hot.type)
            shape = tuple(d.known for d in hot.type.dims if d.known is not None)
            made_of = T.Op("positions", (), (("shape", shape),))
            stmts.append(T.Let((positions,), made_of, stmt.span))
            stmt = rebuilt(stmt, rhs=T.Op("equal", (positions, index)))
        stmts.append(stmt)
    return rebuilt(region, stmts=tuple(stmts))


def _compared_index(let: T.Let, made: Mapping[T.Var, T.Rhs]) -> T.Var | None:
    """The tensor of an argmax that chooses the row of the identity that `let` defines, if that is
    what it does, and every index that it may be is one of a row."""
    match let.rhs:
        case T.Op("lookup", (T.Var() as table, T.Var() as number)):
            pass
        case _:
            return None
    eye = made.get(table)
    if not isinstance(eye, T.Op) or eye.name != "eye":
        return None
    while isinstance(rhs := made.get(number), T.Scalar) and rhs.op == "int":
        (inner,) = rhs.args
        if not isinstance(inner, T.Var):
            return None
        number = inner
    if not isinstance(rhs, T.Read):
        return None
    index = made.get(rhs.tensor)
    if not isinstance(index, T.Op) or index.name != "argmax":
        return None
    (x,) = index.args
    assert isinstance(x.type, TensorType) and isinstance(table.type, TensorType)
    length, rows = x.type.dims[-1].known, table.type.dims[0].known
    if length is None or rows is None or not length <= rows < _MOST:
        return None
    return rhs.tensor
