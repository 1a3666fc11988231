"""`max(xs, key=f)`, `min(xs, key=f)`: the item for which a function is largest or smallest."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, NothingType
from ..conditions import truth
from ..context import FunctionContext
from ..emit import ONE, ZERO, length, list_op, widen
from ..optional import coerced, joined
from ..scope import Env
from .order_keys import keys_of
from .sequences import listed
from .sorting import extreme_place


def extreme_by_key(
    ctx: FunctionContext,
    name: str,
    node: ast.Call,
    key: ast.expr,
    default: ast.expr | None,
    env: Env,
) -> T.Atom:
    """The first item with the largest (`max`) or smallest (`min`) key; for an empty list `default`,
    or a fault if there is none. `key` is called once per item, independently of the others."""
    (source,) = node.args
    items = listed(ctx, source, env)
    if not isinstance(items.type, ListType):
        ctx.fail(
            "AC002",
            node,
            f"{name} of weights by a key, which only the instance knows",
            f"their number, `k = {name}(range(n), key=lambda k: ...)`, and `p.layers[k]`",
        )
    other = None if default is None else ctx.expression(default, env)
    if isinstance(items.type.item, NothingType) and other is not None:
        return other
    with ctx.region() as stmts:
        keys = keys_of(ctx, key, items, env)
        assert isinstance(keys.type, ListType)
        numbers = keys.type.item in (INT, FLOAT, BOOL)
        place = (_place if numbers else extreme_place)(ctx, name, node, keys)
        found = list_op(ctx, "get", (items, place), items.type.item, node)
    if other is None:
        ctx.stmts.extend(stmts)
        return found
    other = widen(other, found.type)
    both = joined(found.type, other.type)
    if both is None:
        assert default is not None
        ctx.fail(
            "AC017",
            default,
            f"{name} of a {items.type} with a default of {other.type}",
            f"a default of {found.type}",
        )
    some = truth(ctx, node, items)
    with ctx.region(tuple(stmts)) as stmts:
        found_end = T.Yield((coerced(ctx, found, both, node),))
    with ctx.region() as others:
        other_end = T.Yield((coerced(ctx, other, both, node),))
    regions = T.Region(tuple(stmts), found_end), T.Region(tuple(others), other_end)
    out = ctx.computed(name, both, node)
    ctx.stmts.append(T.If((out,), some, *regions, ctx.span(node)))
    return out


def _place(ctx: FunctionContext, name: str, node: ast.Call, keys: T.Atom) -> T.Var:
    """The index of the largest or smallest of `keys`, the first among equals."""
    assert isinstance(keys.type, ListType)
    t = keys.type.item
    first = list_op(ctx, "get", (keys, ZERO), t, node)
    index, place, best = T.Var("i", INT), T.Var("place", INT), T.Var("key", t)
    with ctx.region() as stmts:
        here = list_op(ctx, "get", (keys, index), t, node)
        order = ">" if name == "max" else "<"
        better = ctx.let(T.Scalar(order, (here, best)), BOOL, node, "better")
        chosen = T.Var("place", INT), T.Var("key", t)
        new, old = (T.Region((), T.Yield(v)) for v in ((index, here), (place, best)))
        stmts.append(T.If(chosen, better, new, old, ctx.span(node)))
    outs = T.Var("place", INT), T.Var("key", t)
    body = T.Region(tuple(stmts), T.Yield(chosen))
    bounds = ONE, length(ctx, keys, node), ONE
    ctx.stmts.append(
        T.For(outs, index, *bounds, (place, best), (ZERO, first), body, ctx.span(node))
    )
    return outs[0]
