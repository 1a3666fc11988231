"""`isinstance(x, Leaf)`, `isinstance(x, (Leaf, Node))`: the test of a `match`, as an expression."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ..context import FunctionContext
from ..narrowing import classes_named, classes_tested
from ..pattern_tree import members
from ..raw_values import known_class, raw_type, wrapper_of
from ..registry import Arity, function
from ..scope import Env
from ..weight_parts import class_of_weights
from .pattern_tests import FALSE, TRUE, tell_members


@function(isinstance, Arity(2, 2))
def isinstance_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`isinstance(x, Leaf)`; the branches that it chooses know which members `x` may be."""
    source, classes = node.args
    value = wrapper_of(ctx, ctx.peek(source, env))
    among = members(value.type)
    of_weights = class_of_weights(ctx.builder.declarations, value.type)
    known = of_weights or known_class(
        raw_type(ctx.builder.declarations.datas, value.type) or value.type
    )
    if known is not None:
        found = classes_tested(ctx, classes, env)
        if found is not None:
            return TRUE if issubclass(known, found) else FALSE
    if not among or not isinstance(value, T.Var):
        ctx.fail(
            "AC017",
            source,
            f"isinstance of a {value.type}, whose type is known here",
            "isinstance of a union, `Leaf | Node` or `int | float`; `is None` of what may be None",
        )
    tested = classes_named(ctx, classes, env)
    if tested is None:
        ctx.fail(
            "AC017",
            classes,
            f"`{ast.unparse(classes)}` is no @ab.data class, nor several of them",
            f"one of {', '.join(m for m in among if m != 'None')}, or some in brackets",
        )
    kept = [m for m in among if m in tested]
    if len(kept) in (0, len(among)):
        return TRUE if kept else FALSE
    return tell_members(ctx, node, value, {m: lambda fields: TRUE for m in kept})
