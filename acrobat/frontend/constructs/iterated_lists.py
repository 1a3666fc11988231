"""The lists that a loop runs over, which it must not change, and the loop's index variable."""

from __future__ import annotations

import ast

from ..context import FunctionContext
from ..scope import KEYS, Env
from ..syntax import known_index, root_name
from .iteration import called


def lists_of(ctx: FunctionContext, node: ast.expr, env: Env) -> set[str]:
    """The names of the lists that `for ... in node` runs over; for a list in a list,
    `rows[0]`, or `rows[?]` if only the instance knows which one; `d[keys]` for the keys of a dict
    alone."""
    if isinstance(node, ast.Name):
        return {node.id + KEYS if env.is_dict(node.id) else node.id}
    match node:
        case ast.IfExp(_, body, orelse):
            return lists_of(ctx, body, env) | lists_of(ctx, orelse, env)
        case ast.Subscript(slice=at) if not isinstance(at, ast.Slice):
            return {f"{root_name(node)}[{known_index(node)}]"}
        case ast.Call(ast.Attribute(ast.Name(name), "keys"), []):
            return {name + KEYS} if env.is_dict(name) else set()
        case ast.Call(ast.Attribute(ast.Name(name), "items" | "values"), []):
            return {name} if env.is_dict(name) else set()
        case ast.Call(
            ast.Attribute((ast.Subscript() | ast.Call()) as inner, "items" | "keys" | "values"), []
        ):
            return lists_of(ctx, inner, env)
        case ast.Call(ast.Attribute(ast.Name(name) as owner, "get" | "setdefault"), [key, *_]) if (
            env.is_dict(name)
        ):
            return {f"{name}[{known_index(ast.Subscript(owner, key))}]"}
    if isinstance(node, ast.Call) and ctx.static(node.func, env) in (map, filter):
        return set().union(*(lists_of(ctx, a, env) for a in node.args[1:]))
    record = called(ctx, node, env)
    if isinstance(node, ast.Call) and record is not None and record.over_lists:
        return set().union(*(lists_of(ctx, a, env) for a in node.args))
    return set()


def counter(ctx: FunctionContext, node: ast.For, env: Env) -> str | None:
    """The index variable, `i` of `for i, x in enumerate(xs)` or of `enumerate(zip(xs, ys))`; None
    if the items come in another order or not one by one."""
    match node.target, node.iter:
        case ast.Tuple([ast.Name(name), _]), ast.Call(func, [over], []):
            parts = [over]
            if isinstance(over, ast.Call) and ctx.static(over.func, env) is zip:
                parts = over.args
            plain = all(isinstance(p, (ast.Name, ast.Attribute, ast.Subscript)) for p in parts)
            return name if plain and ctx.static(func, env) is enumerate else None
    return None
