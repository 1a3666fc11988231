"""An operation on a union of tuples, lists and strings: that of the member that the value is of."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import Type, UnionType
from ..context import FunctionContext
from ..optional import joined
from ..pattern_tree import members
from ..raw_values import raw_types


def by_member(
    ctx: FunctionContext, node: ast.AST, value: T.Var, apply: Callable[[T.Var], T.Atom]
) -> T.Var:
    """What `apply` makes of the value itself, for each member of its union, none of which is a data
    type. An error if the results have no common type."""
    datas = ctx.builder.declarations.datas
    arms: list[T.Arm] = []
    result: Type | None = None
    for name in sorted(members(value.type), key=lambda n: datas[n].tag):
        inside = T.Var(value.name, datas[name].fields[0][1])
        ctx.origins[inside.number] = ctx.origins.get(value.number, "")
        with ctx.region() as stmts:
            found = apply(inside)
        both = joined(result, found.type) if result is not None else found.type
        if both != found.type or both is None:
            ctx.fail(
                "AC008",
                node,
                f"of {value.type}, this is {result} or {found.type}",
                "`isinstance`, or a `match`, to know which it is",
            )
        result = both
        arms.append(T.Arm(name, (inside,), T.Region(tuple(stmts), T.Yield((found,)))))
    assert result is not None
    out = ctx.computed(value.name, result, node)
    ctx.stmts.append(T.Match((out,), value, tuple(arms), ctx.span(node)))
    return out


def all_raw(ctx: FunctionContext, value: T.Atom, *kinds: type) -> bool:
    """Whether a value is of a union all of whose members are values of such types."""
    found = raw_types(ctx.builder.declarations.datas, value.type)
    return isinstance(value.type, UnionType) and all(isinstance(t, kinds) for t in found)
