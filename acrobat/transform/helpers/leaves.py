"""The leaves of a recursion over lists of children: there a sum over children is its first value.

    s = the sum of es                   if len(es) == 0:
    h = tanh(x + s @ w)     ->              h = tanh(x + zeros @ w)
    return h                            else:
                                            s = the sum of es
                                            h = tanh(x + s @ w)
                                        return h

About half of the nodes of a tree are leaves. They run at the least depths, so a static block of
their own takes no more batches; it reads no items that are not there, and `zeros @ w` is computed
once for all of them, since it depends on weights alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...ir import typed as T
from ...ir.reduction_tree import Statements
from ...ir.rewrite import fresh_copy
from ...ir.types import BOOL, INT

# What may come after the sum, and how much of it is written twice.
_PLAIN = (
    T.Op,
    T.Scalar,
    T.ParamRead,
    T.Weight,
    T.GetField,
    T.GetItem,
    T.MakeTuple,
    T.Construct,
    T.ListOp,
    T.Narrow,
)
_MOST = 64


@dataclass(slots=True)
class Reduced:
    """What a loop that reduces becomes: maps, the totals of their lists, and a loop for what else
    it carries. `items`: one of the lists; `inits`: the values of the totals if it is empty."""

    items: T.Var
    inits: dict[T.Var, T.Atom]
    maps: list[T.Stmt]
    totals: list[T.Stmt]
    others: list[T.Stmt] = field(default_factory=list)


def has_leaves(found: Reduced, rest: T.Region) -> bool:
    """Whether what follows the loop, `rest`, is worth writing twice: straight-line code that
    computes tensors."""
    if found.others or not isinstance(rest.end, T.Yield | T.Return) or len(rest.stmts) > _MOST:
        return False
    plain = all(isinstance(s, T.Let) and isinstance(s.rhs, _PLAIN) for s in rest.stmts)
    return plain and any(isinstance(s, T.Let) and isinstance(s.rhs, T.Op) for s in rest.stmts)


def with_leaves(found: Reduced, before: Sequence[T.Stmt], rest: T.Region) -> T.Region:
    """The region of the statements `before` the loop, the loop, and `rest`, once for leaves and
    once for other nodes."""
    assert isinstance(rest.end, T.Yield | T.Return)
    values = rest.end.values
    inner = replace(rest, end=T.Yield(values))
    leaf = fresh_copy(inner, dict(found.inits))
    other = replace(inner, stmts=(*found.totals, *inner.stmts))
    to = Statements(found.totals[0].span, [])
    count = to.list("len", (found.items,), INT)
    empty = to.let(T.Scalar("==", (count, T.Const(0, INT))), BOOL, "empty")
    outs = tuple(T.Var(v.name if isinstance(v, T.Var) else "value", v.type) for v in values)
    to.stmts.append(T.If(outs, empty, leaf, other, to.span))
    return T.Region((*before, *found.maps, *to.stmts), replace(rest.end, values=outs))
