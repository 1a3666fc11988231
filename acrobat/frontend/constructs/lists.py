"""Lists: literals, items, slices."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.type_queries import run_time_value
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NO_TUPLES,
    NOTHING,
    IntArrayType,
    ListType,
    NothingType,
    OptionalType,
    QueueType,
    RowsType,
    SetType,
    StackType,
    TensorType,
    TupleType,
    Type,
)
from ..context import FunctionContext
from ..emit import ONE, ZERO, int_op, length, list_op, make_tuple, widened
from ..empty_lists import with_hint
from ..escaping import may_hold_list
from ..frozen_lists import frozen, thawed
from ..optional import coerced, joined, remedy
from ..pattern_tree import members
from ..presence import not_none
from ..registry import expression, subscript
from ..scope import COLLECTIONS, Env
from ..sizes import literal
from ..syntax import has_effect, owner_name
from ..type_differences import difference
from ..written import call, placed
from .bounds import slice_bound
from .numbers import counted
from .sequences import all_of, as_list

# An attribute of a list that the compiler has written: its items are the values of a dict.
OF_DICT = "_acrobat_of_dict"
# The attribute's value if the keys are strings that are written out: the values may be of several
# types.
NAMED = "named"
_NUMBER = TensorType(())


@expression(ast.List)
def list_literal(ctx: FunctionContext, node: ast.List, env: Env) -> T.Atom:
    """`[a, b]`, `[*xs, b]`."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return thawed(_joined(ctx, node, env))
    given = [ctx.expression(e, env) for e in node.elts]
    items = tuple(widened(given))
    # Of weights it is a tuple, as a list of weights in a class is.
    if items and not any(run_time_value(i.type) for i in items):
        return make_tuple(ctx, items, node)
    t: Type = NOTHING
    for element, item in zip(node.elts, items, strict=True):
        refuse_weights(ctx, element, item)
        both = join(t, item.type) or _converted(ctx, t, item.type)
        if both == _NUMBER and FLOAT in (t, item.type) and getattr(node, OF_DICT, None) == NAMED:
            both = None  # each value keeps its type
        if both is None:
            if getattr(node, OF_DICT, False):
                if getattr(node, OF_DICT) == NAMED:
                    return make_tuple(ctx, tuple(given), node)
                ctx.fail(
                    "AC008",
                    element,
                    f"a value of type {item.type} in a dict of {t}",
                    "a dataclass or NamedTuple with a field for each key",
                )
            ctx.fail(
                "AC008",
                element,
                f"an item of type {item.type} in a list of {t}" + difference(t, item.type),
                remedy(t, item.type, "items of one type, or of members of one union"),
            )
        t = both
    if isinstance(t, (OptionalType, RowsType)) or t == _NUMBER or members(t):
        items = tuple(coerced(ctx, i, t, node) for i in items)
    return list_op(ctx, "make", items, ListType(t), node)


def _converted(ctx: FunctionContext, a: Type, b: Type) -> Type | None:
    """The type of items of which some are None, or some floats beside tensors of rank 0, or some of
    a union and others of a member, or some tensors of known size and of others only the instance
    knows it."""
    both = joined(a, b, ctx.builder.declarations.datas)
    fits = isinstance(both, (OptionalType, RowsType)) or both == _NUMBER
    return both if fits or (both is not None and members(both)) else None


@expression(ast.Tuple)
def tuple_literal(ctx: FunctionContext, node: ast.Tuple, env: Env) -> T.Atom:
    """`a, b`, and `*t, b`: a list if the number of parts of t is not fixed."""
    parts = node.elts
    if any(isinstance(e, ast.Starred) for e in parts):
        parts = spread(ctx, parts, env)
    if any(isinstance(e, ast.Starred) for e in parts):
        return frozen(ctx.expression(ast.copy_location(ast.List(parts, ast.Load()), node), env))
    if not parts:
        return frozen(list_op(ctx, "make", (), ListType(NOTHING), node))
    return make_tuple(ctx, tuple(ctx.expression(e, env) for e in parts), node)


def refuse_weights(ctx: FunctionContext, node: ast.expr, item: T.Atom) -> None:
    """Report an error if `item` contains weights: the weights of each operation must be known when
    it is compiled."""
    if not run_time_value(item.type):
        ctx.fail("AC002", node, f"a list of weights ({item.type})", "a name for each")


def _joined(ctx: FunctionContext, node: ast.List, env: Env) -> T.Atom:
    """A literal with starred items: the concatenation of its parts."""
    parts: list[ast.expr] = []
    single: list[ast.expr] = []
    for i, element in enumerate([*node.elts, None]):
        if isinstance(element, ast.expr) and not isinstance(element, ast.Starred):
            single.append(element)
            continue
        if single:
            parts.append(ast.copy_location(ast.List(single, ast.Load()), node))
            single = []
        if element is not None:
            part = _starred(ctx, element.value, env)
            # The items that the list has now; on the left of `+` it is what the right side leaves.
            parts.append(all_of(part) if any(map(has_effect, node.elts[i + 1 :])) else part)
    whole = parts[0]
    for part in parts[1:]:
        whole = ast.copy_location(ast.BinOp(whole, ast.Add(), part), node)
    if len(parts) == 1:
        empty = ast.copy_location(ast.List([], ast.Load()), node)
        whole = ast.copy_location(ast.BinOp(whole, ast.Add(), empty), node)
    items = ctx.expression(whole, env)
    if isinstance(items.type, TupleType) and not run_time_value(items.type):
        return items
    if not isinstance(items, T.Var) or not isinstance(items.type, ListType):
        ctx.fail("AC017", node, f"`*` of a {items.type} in a list", "a list")
    return items


def spread(ctx: FunctionContext, elements: list[ast.expr], env: Env) -> list[ast.expr]:
    """The elements, with each starred tuple replaced by its parts."""
    found: list[ast.expr] = []
    for element in elements:
        inner = _starred(ctx, element.value, env) if isinstance(element, ast.Starred) else None
        found += inner.elts if isinstance(inner, ast.List) else [element]
    return found


def _starred(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """`xs` of `*xs`, as a list; a tuple becomes a list literal of its parts."""
    listed = as_list(ctx, node, env)
    if not isinstance(listed, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.IfExp)):
        return listed
    of_names = not isinstance(listed, (ast.Call, ast.IfExp))
    with ctx.region():
        t = ctx.peek(listed, env if of_names else env.copy()).type
    if isinstance(t, IntArrayType):
        return placed(call(list, listed), node)
    if not of_names:
        return listed
    if isinstance(t, (QueueType, SetType)):
        return all_of(listed)
    if isinstance(t, StackType) and t.axis == 0:
        count = t.count
    elif isinstance(t, TupleType) and not isinstance(t, NO_TUPLES):
        count = len(t.items)
    else:
        return listed
    parts: list[ast.expr] = [
        ast.copy_location(ast.Subscript(listed, ast.Constant(i), ast.Load()), node)
        for i in range(count)
    ]
    for part in parts:
        ast.copy_location(part.slice, node)  # type: ignore[attr-defined]
    return ast.copy_location(ast.List(parts, ast.Load()), node)


@subscript(IntArrayType)
@subscript(ListType)
def list_item(ctx: FunctionContext, node: ast.Subscript, items: T.Atom, env: Env) -> T.Var:
    """`xs[i]`, `xs[a:b]`, `xs[::-1]`, `xs[::2]`."""
    assert isinstance(items.type, ListType)
    if isinstance(node.slice, ast.Slice):
        if may_hold_list(items.type.item):
            env.hand_out(owner_name(node))  # the part has the same lists
        return _slice(ctx, node, items, node.slice, env)
    at = not_none(ctx, node.slice, ctx.expression(node.slice, env), env)
    if has_effect(node.slice):
        # The list may have changed.
        items = not_none(ctx, node.value, ctx.peek(node.value, env))
    assert isinstance(items.type, ListType)
    at = counted(ctx, at, node)
    if at.type != INT:
        ctx.fail(
            "AC017",
            node.slice,
            f"an item of a list is chosen by an int, this is {at.type}",
            "an int, or `a:b` for a part",
        )
    if isinstance(items.type.item, NothingType):
        return ctx.no_item("AC027", node, "an item of an empty list", with_hint(node))
    name = owner_name(node)
    if isinstance(items.type.item, COLLECTIONS):
        env.hand_out(name)
    return list_op(ctx, "get", (items, at), items.type.item, node)


def _slice(
    ctx: FunctionContext, node: ast.Subscript, items: T.Atom, index: ast.Slice, env: Env
) -> T.Var:
    step = 1 if index.step is None else literal(ctx, index.step)
    if step == -1 and index.lower is None and index.upper is None:
        return list_op(ctx, "reverse", (items,), items.type, node)
    if step is None or step == 0:
        ctx.fail("AC002", index, "a step that is not a number written out", "`xs[::2]`")
    if step < 0:
        return _backwards(ctx, node, items, index, step, env)
    count = length(ctx, items, node)
    start = ZERO if index.lower is None else slice_bound(ctx, index.lower, env, ZERO)
    stop = count if index.upper is None else slice_bound(ctx, index.upper, env, count)
    part = list_op(ctx, "slice", (items, start, stop), items.type, node)
    return part if step == 1 else _every(ctx, node, part, step)


def _every(ctx: FunctionContext, node: ast.AST, items: T.Var, step: int) -> T.Var:
    """Every item whose index is a multiple of `step`."""
    assert isinstance(items.type, ListType)
    t, index, by = items.type.item, T.Var("i", INT), T.Const(step, INT)
    count = int_op(ctx, "range_length", (ZERO, length(ctx, items, node), by), node)
    with ctx.region() as stmts:
        at = int_op(ctx, "range_item", (ZERO, index, by), node)
        item = list_op(ctx, "get", (items, at), t, node)
    out = T.Var("items", items.type)
    region = T.Region(tuple(stmts), T.Yield((item,)))
    ctx.stmts.append(T.Map((out,), index, count, region, False, ctx.span(node)))
    return out


def _backwards(
    ctx: FunctionContext,
    node: ast.Subscript,
    items: T.Atom,
    index: ast.Slice,
    step: int,
    env: Env,
) -> T.Var:
    """`xs[a:b:-k]`: from a down to b, which is excluded."""
    count = length(ctx, items, node)

    def behind(bound: ast.expr) -> T.Atom:
        """The number of items up to and including the one that a bound names."""
        at = slice_bound(ctx, bound, env)
        below = ctx.let(T.Scalar("<", (at, ZERO)), BOOL, node, "b")
        back = int_op(ctx, "*", (int_op(ctx, "int", (below,), node), count), node)
        at = int_op(ctx, "+", (int_op(ctx, "+", (at, back), node), ONE), node)
        return int_op(ctx, "max", (at, ZERO), node)

    start = ZERO if index.upper is None else behind(index.upper)
    stop = count if index.lower is None else behind(index.lower)
    part = list_op(ctx, "slice", (items, start, stop), items.type, node)
    back = list_op(ctx, "reverse", (part,), items.type, node)
    return back if step == -1 else _every(ctx, node, back, -step)
