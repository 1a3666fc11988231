"""The order of values whose class defines it by methods, `__lt__` and the like, for `sorted`, `min`
and `max`. As in Python, it has to be an order in which objects that are neither less nor greater
count as equal; what `sorted` gives for another one is not defined."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import ListType, Type
from ..context import FunctionContext
from ..scope import Env
from ..stand_ins import STAND_INS
from ..written import call, placed
from .arguments import temporary
from .special_methods import has_special


def has_order_by_method(ctx: FunctionContext, t: Type) -> bool:
    """Whether `a < b` of values of type `t` is a call of a method."""
    return has_special(ctx, t, "__lt__") or has_special(ctx, t, "__gt__")


def by_method(
    ctx: FunctionContext, what: str, node: ast.Call, items: T.Atom, env: Env
) -> T.Atom | None:
    """`sorted(xs)`, `min(xs)` or `max(xs)`, by `what`, of objects with an order by a method; None
    if they have none."""
    assert isinstance(items.type, ListType)
    if not has_order_by_method(ctx, items.type.item):
        return None
    given = temporary(env, f"the items of {what}", items, node)
    return ctx.expression(placed(call(STAND_INS[f"{what} by methods", 1], given), node), env)
