"""An operation on a union of tuples, lists and strings: that of the member that the value is of."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import Type, UnionType
from ..context import FunctionContext
from ..optional import joined
from ..raw_values import arms_of, raw_types


def by_member(
    ctx: FunctionContext, node: ast.AST, value: T.Var, apply: Callable[[T.Var], T.Atom]
) -> T.Var:
    """What `apply` makes of the value itself, for each member of its union, none of which is a data
    type. An error if the results have no common type."""
    types: list[Type] = []

    def lower(name: str, fields: dict[str, T.Var]) -> T.Atom:
        found = apply(fields[T.RAW_VALUE])
        types.append(found.type)
        return found

    arms = arms_of(ctx, value, lower)
    result = types[0]
    for t in types[1:]:
        if joined(result, t) != t:
            ctx.fail(
                "AC008",
                node,
                f"of {value.type}, this is {result} or {t}",
                "`isinstance`, or a `match`, to know which it is",
            )
        result = t
    out = ctx.computed(value.name, result, node)
    ctx.stmts.append(T.Match((out,), value, arms, ctx.span(node)))
    return out


def all_raw(ctx: FunctionContext, value: T.Atom, *kinds: type) -> bool:
    """Whether a value is of a union all of whose members are values of such types."""
    found = raw_types(ctx.builder.declarations.datas, value.type)
    return isinstance(value.type, UnionType) and all(isinstance(t, kinds) for t in found)
