"""Loops over a list or dict inside another, `for x in chart[i, k]:`, in whose body another one of
them changes, `chart[i, j][x] = y`."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, ListType
from .context import FunctionContext
from .emit import ZERO, list_op
from .optional_keys import canonical
from .scope import Env
from .searches import find
from .syntax import has_effect, known_index


def loop_keys(ctx: FunctionContext, node: ast.expr, env: Env) -> list[tuple[str, T.Atom]]:
    """The dict and the key of the list or dict that `for ... in node` runs over, if only the
    instance knows the key: `d[k]`, `d[k].items()`."""
    match node:
        case ast.Call(ast.Attribute(owner, "items" | "keys" | "values"), []):
            node = owner
    match node:
        case ast.Subscript(ast.Name(name), key) if env.is_dict(name) and not has_effect(key):
            if known_index(node) == "?":
                return [(name, ctx.expression(key, env))]
    return []


def check_inner_loops(ctx: FunctionContext, node: ast.Subscript, name: str, env: Env) -> None:
    """An error if an enclosing loop may run over the list or dict `node`, which is in `name`. If
    all such loops are over values of a dict, their keys are compared at run time: the instance is
    at fault if one is the key of `node`."""
    at = known_index(node)
    inside = [p.removeprefix(f"{name}[")[:-1] for p in ctx.iterated if p.startswith(f"{name}[")]
    others = [o for o in inside if o != "keys" and ("?" in (at, o) or at == o)]
    if not others:
        return
    known = [k for n, k in ctx.loop_keys if n == name]
    text, first = ast.unparse(node), node
    while isinstance(first.value, ast.Subscript):
        first = first.value
    compared = others == ["?"] * len(known) and not has_effect(first.slice)
    key = ctx.expression(first.slice, env) if compared else ZERO
    if not compared or any(k.type != key.type for k in known):
        ctx.fail(
            "AC030",
            node,
            f"{text} may be the list that a loop around runs over",
            f"a loop over a list of its own: `for x in [*{name}[...]]:`",
        )
    known, key = [canonical(ctx, k, node) for k in known], canonical(ctx, key, node)
    keys = list_op(ctx, "make", tuple(known), ListType(key.type), node)
    found = find(ctx, node, keys, key)
    apart = ctx.let(T.Scalar("<", (found, ZERO)), BOOL, node, "apart")
    wrong = T.Raise((f"RuntimeError: {text} changes while a loop runs over it",), ())
    regions = T.Region((), T.Yield(())), T.Region((), wrong)
    ctx.stmts.append(T.If((), apart, *regions, ctx.span(node)))
