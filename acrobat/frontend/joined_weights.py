"""Weights after a branch: if its paths bind a name to different ones, a number says which are
meant."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir import typed as T
from ..ir.type_queries import run_time_value
from ..ir.types import BOOL, INT, KeyedType
from .context import FunctionContext
from .scope import Binding
from .weight_choice import WeightChoice


def as_choice(ctx: FunctionContext, binding: Binding, text: str) -> WeightChoice | None:
    """A binding as a choice of weights, possibly of a single one; None if it is not weights, or an
    object that is made on one path and has weights in it."""
    if isinstance(binding, WeightChoice):
        return binding
    if isinstance(binding, T.Var) and _is_weights(ctx, binding):
        return WeightChoice(T.Const(0, INT), (0,), (binding,), (text,))
    return None


def _is_weights(ctx: FunctionContext, var: T.Var) -> bool:
    """Whether a variable consists of weights alone, which can be read at any place."""
    if run_time_value(var.type):
        return False
    match ctx.made.get(var.number):
        case T.ParamRead(obj) | T.GetItem(obj):
            return isinstance(obj, T.Var) and _is_weights(ctx, obj)
        case T.MakeTuple(items):
            return all(isinstance(i, T.Const) or _is_weights(ctx, i) for i in items)
        case made:
            return made is None


def joined_choice(selector: T.Var, choices: Sequence[WeightChoice]) -> WeightChoice:
    """The weights of all `choices`, numbered in order."""
    weights = tuple(w for c in choices for w in c.weights)
    texts = tuple(t for c in choices for t in c.texts)
    if len(set(texts)) < len(texts):
        texts = tuple(f"{t} ({i})" for i, t in enumerate(texts))
    return WeightChoice(selector, tuple(range(len(weights))), weights, texts)


def number_of(ctx: FunctionContext, node: ast.AST, choice: WeightChoice, first: int) -> T.Atom:
    """The number of the chosen weights, if those of `choice` are numbered from `first` on."""
    number: T.Atom = T.Const(first + len(choice.keys) - 1, INT)
    for i in reversed(range(len(choice.keys) - 1)):
        key = choice.keys[i]
        wanted = ctx.builder.text(key) if isinstance(key, str) else T.Const(key, INT)
        same = ctx.let(T.Scalar("==", (choice.selector, wanted)), BOOL, node, "b")
        out = T.Var("choice", INT)
        this, others = (T.Region((), T.Yield((n,))) for n in (T.Const(first + i, INT), number))
        ctx.stmts.append(T.If((out,), same, this, others, ctx.span(node)))
        number = out
    return number


def same_weights(ctx: FunctionContext, bindings: Sequence[Binding]) -> bool:
    """Whether `bindings` are all the same weights, however often they were read."""
    found = {_path(ctx, b) for b in bindings if isinstance(b, T.Var)}
    return len(found) == 1 and all(isinstance(b, T.Var) for b in bindings)


def read_again(ctx: FunctionContext, var: T.Var, node: ast.AST) -> T.Var:
    """The weights of `var`, read again here, because `var` may be defined on another path."""
    match ctx.made.get(var.number):
        case T.ParamRead(params, field):
            rhs: T.Rhs = T.ParamRead(read_again(ctx, params, node), field)
        case T.GetItem(obj, index):
            rhs = T.GetItem(read_again(ctx, obj, node), index)
        case T.MakeTuple(items):
            parts = tuple(read_again(ctx, i, node) if isinstance(i, T.Var) else i for i in items)
            made = ctx.let(T.MakeTuple(parts), var.type, node, var.name)
            if isinstance(var.type, KeyedType):
                ctx.parts[made.number] = parts
            return made
        case _:
            return var
    return ctx.let(rhs, var.type, node, var.name)


def _path(ctx: FunctionContext, var: T.Var) -> tuple[object, ...]:
    match ctx.made.get(var.number):
        case T.ParamRead(params, field):
            return (*_path(ctx, params), field)
        case T.GetItem(obj, index):
            return (*_path(ctx, obj), index)
        case T.MakeTuple(items):
            return tuple(_path(ctx, i) if isinstance(i, T.Var) else i for i in items)
    return (var.number,)
