"""`zip(xs, ys)` behind `in`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, INT, TupleType
from ..context import FunctionContext
from ..emit import int_op, known_items, known_length, make_tuple
from ..iteration_space import IterationSpace
from ..registry import Arity, iterable
from ..scope import Env
from .arguments import temporary
from .iteration import counted


def _strict(node: ast.Call, keyword: ast.keyword) -> bool:
    known = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
    return keyword.arg == "strict" and known


@iterable(
    zip,
    Arity(1),
    keyword=_strict,
    instead="`strict=True` or `strict=False`",
)
def over_zip(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`zip(xs, ys)`."""
    parts = [counted(ctx, a, env) for arg in node.args for a in _written_out(ctx, arg, env)]
    stop = parts[0].stop
    strict = [k.value for k in node.keywords if getattr(k.value, "value", False)]
    for i, part in enumerate(parts[1:]):
        if strict:
            _require_same(ctx, node, i, (stop, part.stop))
        stop = _least(ctx, stop, part.stop, node)
    most = [part.unrolled for part in parts if part.unrolled is not None]
    if most and isinstance(stop, T.Const):
        most.append(int(stop.value))
    return IterationSpace.count(
        stop,
        lambda i: make_tuple(ctx, tuple(part.item(i) for part in parts), node),
        min(most) if most else None,
        all(part.endless for part in parts),
    )


def _require_same(
    ctx: FunctionContext, node: ast.Call, i: int, lengths: tuple[T.Atom, T.Atom]
) -> None:
    """A fault if lists of `zip(..., strict=True)` differ in length. Python finds out where the
    shorter one ends, here it is before the first iteration."""
    same = ctx.let(T.Scalar("==", lengths), BOOL, node, "same")
    others = "argument 1" if i == 0 else f"arguments 1-{i + 1}"
    fault = f"ValueError: {ast.unparse(node)}: argument {i + 2} has another length than {others}"
    regions = T.Region((), T.Yield(())), T.Region((), T.Raise((fault,), ()))
    ctx.stmts.append(T.If((), same, *regions, ctx.span(node)))


def _written_out(ctx: FunctionContext, node: ast.expr, env: Env) -> list[ast.expr]:
    """The arguments that an argument stands for: of `*xs` the items, whose number must be known."""
    if not isinstance(node, ast.Starred):
        return [node]
    if isinstance(node.value, (ast.List, ast.Tuple)):
        return node.value.elts
    value, text = ctx.peek(node.value, env), ast.unparse(node.value)
    items: list[T.Atom] = []
    if isinstance(value, T.Var) and type(value.type) is TupleType:
        for i, t in enumerate(value.type.items):
            items.append(ctx.let(T.GetItem(value, i), t, node, "part"))
    else:
        items = list(known_items(ctx, value) or ())
    if not items:
        ctx.fail(
            "AC002",
            node,
            f"`*` of a {value.type}: how many lists that is, is not known",
            "each list by itself, `zip(a, b)`",
        )
    return [temporary(env, f"{text}[{i}]", item, node) for i, item in enumerate(items)]


def _least(ctx: FunctionContext, a: T.Atom, b: T.Atom, node: ast.AST) -> T.Atom:
    known = [known_length(ctx, x) for x in (a, b)]
    if known[0] is not None and known[1] is not None:
        return T.Const(min(known[0], known[1]), INT)
    return int_op(ctx, "min", (a, b), node)
