"""Queues that leave their function, or have more than one name or a `maxlen`: `deque(maxlen=n)`.
Those of one name alone are lists by now (own_collections.py). Changes are in `queue_changes`."""

from __future__ import annotations

import ast
import collections

from ...ir import typed as T
from ...ir.types import BOOL, INT, NOTHING, ListType, QueueType
from ..context import FunctionContext
from ..dict_lists import item_of, lists_of
from ..emit import ZERO, int_op, length, list_op
from ..escaping import may_hold_list
from ..iteration_space import IterationSpace
from ..presence import not_none
from ..registry import Arity, field, function, iterated, method, subscript
from ..scope import COLLECTIONS, Env
from ..syntax import has_effect, mark_fresh, owner_name
from .membership import count, index_
from .numbers import counted
from .sequences import listed


@function(collections.deque)
def deque_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`deque()`, `deque(xs)`, `deque(xs, maxlen=n)`."""
    mark_fresh(node)
    given = dict(zip(("iterable", "maxlen"), node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if len(given) < len(node.args) + len(node.keywords) or given.keys() - {"iterable", "maxlen"}:
        ctx.fail("AC016", node, "deque takes items and a maxlen", "`deque(xs, maxlen=n)`")
    items = (
        listed(ctx, given["iterable"], env)
        if "iterable" in given
        else list_op(ctx, "make", (), ListType(NOTHING), node)
    )
    if isinstance(given.get("iterable"), ast.Name) and may_hold_list(item_of(items)):
        env.hand_out(owner_name(given["iterable"]))
    bound = given.get("maxlen", ast.Constant(None))
    if isinstance(bound, ast.Constant) and bound.value is None:
        return made_queue(ctx, list_op(ctx, "make", (), ListType(INT), node), items, node)
    most = ctx.expression(bound, env)
    if most.type != INT:
        ctx.fail("AC017", bound, f"a maxlen is an int, this is {most.type}", "an int")
    fits = ctx.let(T.Scalar(">=", (most, ZERO)), BOOL, node, "b")
    wrong = T.Raise(("ValueError: maxlen must be non-negative",), ())
    regions = T.Region((), T.Yield(())), T.Region((), wrong)
    ctx.stmts.append(T.If((), fits, *regions, ctx.span(node)))
    bounds = list_op(ctx, "make", (most,), ListType(INT), node)
    start = int_op(ctx, "-", (length(ctx, items, node), most), node)
    start = int_op(ctx, "max", (start, ZERO), node)
    stop = length(ctx, items, node)
    kept = list_op(ctx, "slice", (items, start, stop), items.type, node)
    return made_queue(ctx, bounds, kept, node, bounded=True)


def made_queue(
    ctx: FunctionContext,
    bounds: T.Atom,
    items: T.Atom,
    node: ast.AST,
    name: str = "deque",
    bounded: bool = False,
) -> T.Var:
    """The queue of a list with its `maxlen`, which may be empty, and the list of its items."""
    t = QueueType((bounds.type, items.type), bounded=bounded)
    return ctx.let(T.MakeTuple((bounds, items)), t, node, name)


def items_of(ctx: FunctionContext, queue: T.Atom, node: ast.AST) -> T.Atom:
    """The list of the items of a queue."""
    return lists_of(ctx, queue, node)[1]


@iterated(QueueType)
def over_queue(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for x in q`."""
    xs = items_of(ctx, items, node)
    return IterationSpace.count(
        length(ctx, xs, node), lambda i: list_op(ctx, "get", (xs, i), item_of(xs), node)
    )


@subscript(QueueType)
def queue_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`q[i]`."""
    if isinstance(node.slice, ast.Slice):
        text = ast.unparse(node.value)
        ctx.fail("AC027", node, "a part of a deque", f"`list({text})`, and a part of that")
    at = counted(ctx, not_none(ctx, node.slice, ctx.expression(node.slice, env), env), node)
    if at.type != INT:
        ctx.fail("AC017", node.slice, f"an item is chosen by an int, this is {at.type}", "an int")
    if has_effect(node.slice):
        obj = ctx.peek(node.value, env)  # it may have changed
    xs = items_of(ctx, obj, node)
    if isinstance(item_of(xs), COLLECTIONS):
        env.hand_out(owner_name(node))
    return list_op(ctx, "get", (xs, at), item_of(xs), node)


@method(QueueType, "copy", Arity(0, 0))
def copy_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`q.copy()`."""
    assert isinstance(node.func, ast.Attribute)
    mark_fresh(node)
    if may_hold_list(item_of(items_of(ctx, receiver, node))):
        env.hand_out(owner_name(node.func.value))
    return receiver


@method(QueueType, "index", Arity(1, 1))
def index_of(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`q.index(x)`."""
    return index_(ctx, node, items_of(ctx, receiver, node), env)


@method(QueueType, "count", Arity(1, 1))
def count_of(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`q.count(x)`."""
    return count(ctx, node, items_of(ctx, receiver, node), env)


@field(QueueType, "maxlen")
def maxlen(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`q.maxlen`."""
    assert isinstance(obj.type, QueueType)
    if not obj.type.bounded:
        return ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    bounds, _ = lists_of(ctx, obj, node)
    return list_op(ctx, "get", (bounds, ZERO), INT, node)
