"""Escape analysis: where a list that a function owns, or a list in it, may get another name."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.types import DataRef, DictType, ListType, TupleType, Type, UnionType
from .context import FunctionContext
from .scope import COLLECTIONS, ITEMS, Env
from .syntax import has_effect, makes_list, parameters


def keep_lists(
    env: Env,
    before: set[str],
    call: ast.Call,
    result: Type,
    fresh: bool = False,
    parts: tuple[int, int] = (1, 0),
) -> None:
    """After a call that is given lists, or uses them: names that owned theirs `before` the call
    still do, if its result cannot hold a list, or is a list that it has made (`fresh`), and if the
    expression has no effect. No function keeps its arguments. `parts`: the result is of so many
    values, and as many of parameters that the function has changed, which have no other name."""
    values, changed = parts
    every = (result,) if values + changed == 1 else result.items  # type: ignore[union-attr]
    inside = map(_shared, every[values:])
    made = fresh and changed == 0 and isinstance(result, COLLECTIONS)
    holds = not made and any(map(may_hold_list, (*every[:values], *inside)))
    if not holds and not has_effect(call):
        env.owned |= before


def returns_fresh(ctx: FunctionContext, value: ast.expr, t: Type, env: Env) -> bool:
    """Whether a function that returns `value` makes the list that it returns: one whose items hold
    no lists, and which is not one of its arguments."""
    if not isinstance(t, COLLECTIONS) or may_hold_list(item_of(t)):
        return False
    if isinstance(value, ast.Name):
        given = {p.arg for p in parameters(ctx.source.tree)}
        return value.id in env.owned and value.id not in given
    return makes_list(value)


def item_of(t: ListType | DictType) -> Type:
    """The type of a list's items, or of a dict's values."""
    values = t.items[1] if isinstance(t, DictType) else t
    assert isinstance(values, ListType)
    return values.item


def may_hold(ctx: FunctionContext, t: Type, wanted: ListType | DictType) -> bool:
    """Whether a list or a dict of the type `wanted` may be found in a value of type `t`."""
    seen: set[str] = set()
    work = [t]
    while work:
        part = work.pop()
        if isinstance(part, COLLECTIONS) and join(part, wanted) is not None:
            return True
        match part:
            case ListType(item):
                work.append(item)
            case DictType(items=(_, ListType(value))):
                work.append(value)
            case TupleType(items):
                work.extend(items)
            case DataRef(name) if name not in seen:
                seen.add(name)
                work.extend(f for _, f in ctx.builder.declarations.datas[name].fields)
            case UnionType(members):
                work.extend(DataRef(m) for m in members)
    return False


def may_share(ctx: FunctionContext, t: Type, given: ListType | DictType) -> bool:
    """Whether a value of type `t` may contain a list or dict of type `given`, or one inside it."""
    inner = item_of(given)
    inside = isinstance(inner, COLLECTIONS) and may_share(ctx, t, inner)
    return inside or may_hold(ctx, t, given)


def may_hold_list(t: Type) -> bool:
    """Whether a value of type `t` may be a list or a dict, or contain one."""
    if isinstance(t, TupleType):
        return any(map(may_hold_list, t.items))
    return isinstance(t, (ListType, DataRef, UnionType))


def _shared(t: Type) -> Type:
    """What a list or dict that a function owns, lists in it included, may share with others."""
    for _ in range(2):
        if isinstance(t, DictType):
            t = t.items[1]
        if isinstance(t, ListType):
            t = t.item
    return t


def own_items(names: Collection[str], env: Env) -> set[str]:
    """Of the lists and dicts `names`, which a loop runs over, those whose items nothing else refers
    to, each as its name followed by ITEMS."""
    owners = {n.split("[")[0] for n in names}
    lent = [env.lent.get(n, frozenset()) for n in owners]
    return {n + ITEMS for n in owners}.union(*lent) & env.owned


def lend(target: ast.expr, items: set[str], env: Env, outlives: Collection[str] = ()) -> None:
    """The names of a loop's target stand for items of the lists `items`, in its body `env`: while
    they are only read, the lists still own their items. Names in `outlives` stand for the last
    items after the loop, too."""
    if not items:
        return
    names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    types = {n: v.type for n in names if isinstance(v := env.names[n], T.Var)}
    lists = {n for n, t in types.items() if isinstance(t, COLLECTIONS)}
    if lists & set(outlives) or any(_tuple_with_list(t) for t in types.values()):
        env.owned -= items
    else:
        env.lent.update(dict.fromkeys(lists, frozenset(items)))


def _tuple_with_list(t: Type) -> bool:
    return isinstance(t, TupleType) and not isinstance(t, DictType) and may_hold_list(t)
