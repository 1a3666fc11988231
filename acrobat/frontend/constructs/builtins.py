"""Calls of Python's builtins on numbers and lists."""

from __future__ import annotations

import ast
from functools import reduce

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DictType,
    ListType,
    NothingType,
    TensorType,
    TupleType,
    Type,
)
from ..conditions import condition, truth
from ..context import FunctionContext
from ..decisions import is_mask, of_rank_0, one_element, read_number
from ..emit import ONE, ZERO, as_tensor, host_op, list_op, make_tuple, tensor_op, widen
from ..folds import fold_list
from ..presence import not_none
from ..registry import Arity, function
from ..scope import Env
from ..sizes import literal
from ..written import placed
from .arguments import temporary
from .keyed import extreme_by_key
from .numbers import counted
from .numpy_rewritings import as_method
from .order_by_method import by_method, has_order_by_method
from .order_keys import has_order, itself
from .sequences import listed_numbers

_ELEMENT = "one of its elements, `x[0]`, or a reduction, `ops.sum(x)`"


@function(min)
def min_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`min(a, b, ...)`, `min(xs)`, `min(xs, default=a)`."""
    return _least_or_most(ctx, "min", node, env)


@function(max)
def max_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`max(a, b, ...)`, `max(xs)`, `max(xs, default=a)`."""
    return _least_or_most(ctx, "max", node, env)


def _least_or_most(ctx: FunctionContext, name: str, node: ast.Call, env: Env) -> T.Atom:
    known = ("default", "key")
    wrong = [k for k in node.keywords if k.arg not in known or len(node.args) != 1]
    if wrong:
        ctx.fail(
            "AC016",
            wrong[0].value,
            f"{name} takes no {wrong[0].arg!r} here",
            f"`{name}(xs)`, `{name}(xs, default=a)`, `{name}(xs, key=f)`",
        )
    words = {k.arg: k.value for k in node.keywords}
    if "key" in words:
        return extreme_by_key(ctx, name, node, words["key"], words.get("default"), env)
    if not node.args:
        ctx.fail("AC016", node, f"{name} of nothing", f"`{name}(xs)`, `{name}(a, b)`")
    if len(node.args) > 1:
        with ctx.region():
            values = [ctx.peek(a, env.copy()) for a in node.args]
        tensors = [one_element(v) for v in values]
        beside = all(of_rank_0(v) or v.type in (INT, FLOAT) for v in values)
        ordered = all(has_order_by_method(ctx, v.type) for v in values)
        if not ordered and (not any(tensors) or not (all(tensors) or beside)):
            return _extremum(ctx, name, node, env)
        parts = (
            node.args
            if ordered
            else [
                a if tensor else _as_tensor(ctx, name, a, env)
                for a, tensor in zip(node.args, tensors, strict=True)
            ]
        )
        every = ast.copy_location(ast.List(parts, ast.Load()), node)
        node = ast.copy_location(ast.Call(node.func, [every], []), node)
    (source,) = node.args
    if not isinstance(source, (ast.GeneratorExp, ast.Call)):
        given = ctx.peek(source, env)
        if not isinstance(given.type, (ListType, DictType)):
            if isinstance(given.type, TensorType) and len(given.type.dims) == 1 and not words:
                whole = temporary(env, ast.unparse(source), given, source)
                return ctx.expression(placed(as_method(node, whole, name), node), env)
            if type(given.type) is TupleType and len({*given.type.items}) == 1:
                every = ast.List([ast.Starred(source, ast.Load())], ast.Load())
                listed = ast.Call(node.func, [every], node.keywords)
                return ctx.expression(placed(listed, node), env)
            instead = f"a list, or two numbers: `{name}(a, b)`"
            if isinstance(given.type, TensorType):
                instead = f"`ops.item(ops.{name}(x))`" if name == "max" else "`ops.max` of `-x`"
            ctx.fail("AC017", source, f"{name} of a {given.type}", instead)
    items = listed_numbers(ctx, source, env)
    assert isinstance(items.type, ListType)
    default = [ctx.expression(k.value, env) for k in node.keywords]
    if default and isinstance(items.type.item, NothingType):
        return default[0]
    item = items.type.item
    part_by_part = type(item) is TupleType or (isinstance(item, TupleType) and has_order(item))
    if one_element(T.Var("item", item)) or item == TEXT or part_by_part:
        again = temporary(env, ast.unparse(source), items, source)
        call = ast.copy_location(ast.Call(node.func, [again], []), node)
        return extreme_by_key(ctx, name, call, itself(node), words.get("default"), env)
    found = None if default else by_method(ctx, name, node, items, env)
    if found is not None:
        return found
    if item not in (INT, FLOAT):
        ctx.fail("AC017", source, f"{name} of a {items.type}", "a list of numbers")
    return _of_items(ctx, name, node, items, default)


def _as_tensor(ctx: FunctionContext, name: str, node: ast.expr, env: Env) -> ast.expr:
    """A number beside tensors of rank 0, as such a tensor."""
    number = widen(ctx.expression(node, env), FLOAT)
    text = ast.unparse(node)
    if number.type == INT:
        ctx.fail(
            "AC017",
            node,
            f"{name} of an int and a tensor, which would be the one or the other",
            f"`float({text})`",
        )
    return temporary(env, text, as_tensor(ctx, node, number), node)


def _of_items(
    ctx: FunctionContext, name: str, node: ast.Call, items: T.Atom, default: list[T.Atom]
) -> T.Atom:
    """The least or greatest number of a list; for an empty list `default`, if given, or a fault."""
    assert isinstance(items.type, ListType)
    t = items.type.item

    def step(so_far: T.Var, item: T.Atom) -> T.Atom:
        return ctx.let(T.Scalar(name, (so_far, item)), t, node, "n")

    with ctx.region() as stmts:
        first = list_op(ctx, "get", (items, ZERO), t, node)
        most = fold_list(ctx, node, items, first, step, t, ONE)
    if not default:
        ctx.stmts.extend(stmts)
        return most
    (other,) = (widen(d, t) for d in default)
    if other.type != t:
        ctx.fail(
            "AC017",
            node.keywords[0].value,
            f"{name} of a {items.type} with a default of {other.type}",
            f"a default of {t}",
        )
    some = truth(ctx, node, items)
    regions = T.Region(tuple(stmts), T.Yield((most,))), T.Region((), T.Yield((other,)))
    out = ctx.computed("n", t, node)
    ctx.stmts.append(T.If((out,), some, *regions, ctx.span(node)))
    return out


def _extremum(ctx: FunctionContext, name: str, node: ast.Call, env: Env) -> T.Atom:
    args = _numbers(
        ctx, name, node, f"`ops.{name}imum(a, b)`, or `ops.{name}(x)` over an axis", env, BOOL
    )
    if all(a.type == BOOL for a in args):
        either = "or" if name == "max" else "and"
        return reduce(lambda a, b: ctx.let(T.Scalar(either, (a, b)), BOOL, node, "b"), args)
    args = tuple(counted(ctx, a, node) for a in args)
    t = FLOAT if FLOAT in [a.type for a in args] else INT
    args = tuple(widen(a, t) for a in args)
    for source, arg in zip(node.args, args, strict=True):
        if arg.type != t:
            ctx.fail(
                "AC017",
                source,
                f"{name} of int and float, which would be the one or the other",
                f"`float({ast.unparse(source)})`",
                ctx.origin_notes((source, arg)),
            )
    return ctx.let(T.Scalar(name, args), t, node, "n")


@function(abs, Arity(1, 1))
def abs_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`abs(n)`, also of a tensor."""
    (source,) = node.args
    x = ctx.peek(source, env)
    if isinstance(x.type, TensorType) and not is_mask(x):
        return tensor_op(ctx, "abs", node, [(source, x)])
    node = ast.copy_location(
        ast.Call(node.func, [temporary(env, ast.unparse(source), x, source)], []), node
    )
    (n,) = (counted(ctx, a, node) for a in _numbers(ctx, "abs", node, "`ops.abs`", env, BOOL))
    return ctx.let(T.Scalar("abs", (n,)), n.type, node, "n")


@function(int, Arity(1, 2))
def int_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`int(n)`, `int(s)`, `int(s, 16)`."""
    values = [not_none(ctx, a, ctx.peek(a, env), env) for a in node.args]
    if [v.type for v in values] in ([TEXT], [TEXT, INT]):
        return host_op(ctx, "int.str" + "/2" * (len(values) - 1), tuple(values), node)
    if len(values) > 1:
        ctx.fail("AC016", node, "int takes a base only with a string", "`int(s, 16)`")
    args = _numbers(ctx, "int", node, _ELEMENT, env, BOOL, reads=True)
    return ctx.let(T.Scalar("int", args), INT, node, "n")


@function(float, Arity(1, 1))
def float_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`float(n)`, `float(s)`, `float("inf")`."""
    match node.args[0]:
        case ast.Constant(str() as text):
            try:
                return T.Const(float(text), FLOAT)
            except ValueError:
                ctx.fail("AC002", node, f"{text!r} is no number", "`float('inf')`")
    value = not_none(ctx, node.args[0], ctx.peek(node.args[0], env), env)
    if value.type == TEXT:
        return host_op(ctx, "float.str", (value,), node)
    args = _numbers(ctx, "float", node, _ELEMENT, env, BOOL, reads=True)
    return ctx.let(T.Scalar("float", args), FLOAT, node, "n")


@function(bool, Arity(1, 1))
def bool_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`bool(n)`: whether a number is not 0, or a list not empty."""
    return condition(ctx, node.args[0], env)


@function(round, Arity(1, 2))
def round_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`round(x)`, `round(x, 2)`: rounds half to even. numpy rounds to digits in another way."""
    source, *rest = node.args
    x = counted(ctx, not_none(ctx, source, ctx.expression(source, env), env), node)
    if of_rank_0(x) and not rest:
        x = read_number(ctx, x, source)
    if x.type not in (INT, FLOAT):
        ctx.fail("AC017", source, f"round of a {x.type}", "a number: `round(ops.item(x))`")
    digits = [literal(ctx, d) for d in rest]
    for given, number in zip(rest, digits, strict=True):
        if number is None or number < 0:
            ctx.fail("AC017", given, "digits behind the point, written out", "`round(x, 2)`")
    if x.type == INT:
        return x
    more = tuple(T.Const(d, INT) for d in digits if d is not None)
    return ctx.let(T.Scalar("round", (x, *more)), FLOAT if more else INT, node, "n")


@function(divmod, Arity(2, 2))
def divmod_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`divmod(a, b)`: `(a // b, a % b)`."""
    values = [not_none(ctx, a, ctx.expression(a, env), env) for a in node.args]
    args = tuple(counted(ctx, a, node) for a in values)
    for source, arg in zip(node.args, args, strict=True):
        if arg.type not in (INT, FLOAT):
            ctx.fail("AC017", source, f"divmod of a {arg.type}", "numbers")
    t = FLOAT if FLOAT in [a.type for a in args] else INT
    parts = tuple(ctx.let(T.Scalar(op, args), t, node, "n") for op in ("//", "%"))
    return make_tuple(ctx, parts, node)


def _numbers(
    ctx: FunctionContext,
    name: str,
    node: ast.Call,
    for_tensors: str,
    env: Env,
    *more: Type,
    reads: bool = False,
) -> tuple[T.Atom, ...]:
    """The arguments, which must be numbers or of one of the types `more`; `for_tensors` is the
    remedy where one is a tensor. `reads`: a tensor of one element counts as its number."""
    args = tuple(not_none(ctx, a, ctx.expression(a, env), env) for a in node.args)
    if reads:
        args = tuple(read_number(ctx, a, node) if one_element(a) else a for a in args)
    for source, arg in zip(node.args, args, strict=True):
        if arg.type not in (INT, FLOAT, *more):
            instead = for_tensors if isinstance(arg.type, TensorType) else "a number"
            ctx.fail("AC017", source, f"{name} of a {arg.type}", instead)
    return args
