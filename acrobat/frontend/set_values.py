"""The values that represent sets: dicts whose values are not read. The order of their items is
arbitrary, so a set is iterated over only where nothing depends on it."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.types import BOOL, INT, ListType, NothingType, SetType
from .context import FunctionContext
from .dict_lists import Lists, check_keys, empty, item_of, stored
from .emit import ONE, ZERO, length, list_op

# An attribute of nodes: it does not matter in which order this set is iterated over.
ANY_ORDER = "_acrobat_any_order"
_TRUE = T.Const(True, BOOL)


def in_any_order(node: ast.expr) -> ast.expr:
    """Note that nothing depends on the order of the items of `node`, a set or a comprehension over
    one."""
    setattr(node, ANY_ORDER, True)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        for each in node.generators:
            in_any_order(each.iter)
    return node


def has_any_order(node: ast.expr) -> bool:
    """Whether nothing depends on the order of the items of `node`."""
    return getattr(node, ANY_ORDER, False)


def made_set(
    ctx: FunctionContext, lists: Lists, node: ast.AST, name: str = "set", frozen: bool = False
) -> T.Var:
    """The set of a list of items and a list of as many truth values."""
    t = SetType((lists[0].type, lists[1].type), frozen=frozen)
    return ctx.let(T.MakeTuple(lists), t, node, name)


def with_item(
    ctx: FunctionContext, node: ast.AST, lists: Lists, source: ast.AST, item: T.Atom
) -> Lists:
    """The lists of a set with one more item, which may be in it."""
    check_keys(ctx, source, item.type)
    keys = item_of(lists[0])
    if join(keys, item.type) is None:
        ctx.fail("AC017", source, f"a {item.type} in a set[{keys}]", "items of one type")
    return stored(ctx, node, lists, source, item, _TRUE)


def set_of(ctx: FunctionContext, node: ast.AST, items: T.Atom, frozen: bool = False) -> T.Var:
    """The set of the items of a list."""
    assert isinstance(items.type, (ListType, NothingType))
    if isinstance(items.type, NothingType) or isinstance(items.type.item, NothingType):
        return made_set(ctx, empty(ctx, node), node, frozen=frozen)
    t = items.type.item
    check_keys(ctx, node, t)
    kinds = ListType(t), ListType(BOOL)
    index = T.Var("i", INT)
    so_far = T.Var("keys", kinds[0]), T.Var("values", kinds[1])
    outs = T.Var("keys", kinds[0]), T.Var("values", kinds[1])
    inits = tuple(list_op(ctx, "make", (), k, node) for k in kinds)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (items, index), t, node)
        lists = stored(ctx, node, so_far, node, item, _TRUE)
    body = T.Region(tuple(stmts), T.Yield(lists))
    stop = length(ctx, items, node)
    ctx.stmts.append(T.For(outs, index, ZERO, stop, ONE, so_far, inits, body, ctx.span(node)))
    return made_set(ctx, outs, node, frozen=frozen)
