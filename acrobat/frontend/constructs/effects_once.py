"""Arguments that change something, `float(xs.pop())`, `max(0.0, visit(t))`: what looks at such an
argument more than once gets its value, computed before, under a temporary name.

What is evaluated before it, and is not a name, gets its value then, too: Python's order is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.types import BoolType, FloatType, IntType, TensorType, TextType
from ..context import MISSING, FunctionContext
from ..registry import ITERABLES
from ..scope import Env
from ..syntax import changes_again
from .arguments import temporary

_AS_THEY_ARE = (ast.Constant, ast.Lambda, ast.GeneratorExp, ast.Starred)
_VALUES = (IntType, FloatType, BoolType, TextType, TensorType)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)


def once_each(ctx: FunctionContext, nodes: Sequence[ast.expr], env: Env) -> list[ast.expr]:
    """Expressions that are evaluated one after the other, so that each may be looked at again."""
    effects = [changes_again(n) for n in nodes]
    last = max((i for i, effect in enumerate(effects) if effect), default=-1)
    return [_once(ctx, n, env) if i <= last else n for i, n in enumerate(nodes)]


def call_with_values(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """`node` with its arguments as such expressions."""
    words = [k.value for k in node.keywords]
    if not any(map(changes_again, (*node.args, *words))):
        return node
    found = once_each(ctx, (*node.args, *words), env)
    count = len(node.args)
    pairs = zip(node.keywords, found[count:], strict=True)
    keywords = [ast.copy_location(ast.keyword(k.arg, v), k) for k, v in pairs]
    return ast.copy_location(ast.Call(node.func, found[:count], keywords), node)


def index_with_values(ctx: FunctionContext, node: ast.Subscript, env: Env) -> ast.Subscript:
    """`node` with the parts of its index as such expressions, and what it indexes."""
    if not changes_again(node.slice):
        return node
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    bounds = [_bounds(p) for p in parts]
    value, *found = once_each(ctx, [node.value, *(b for bs in bounds for b in bs)], env)
    left = iter(found)
    made = [
        ast.copy_location(ast.Slice(*(next(left) if b else None for b in _places(p))), p)
        if isinstance(p, ast.Slice)
        else next(left)
        for p in parts
    ]
    whole: ast.expr = made[0]
    if isinstance(node.slice, ast.Tuple):
        whole = ast.copy_location(ast.Tuple(made, ast.Load()), node.slice)
    return ast.copy_location(ast.Subscript(value, whole, node.ctx), node)


def _places(part: ast.Slice) -> tuple[ast.expr | None, ...]:
    return part.lower, part.upper, part.step


def _bounds(part: ast.expr) -> list[ast.expr]:
    if isinstance(part, ast.Slice):
        return [b for b in _places(part) if b is not None]
    return [part]


def _once(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    if isinstance(node, _AS_THEY_ARE):
        return node
    if isinstance(node, ast.Attribute) and ctx.static(node, env) is not MISSING:
        return node
    if isinstance(node, ast.Name):
        # Of a list that changes in an argument behind it, Python sees the change.
        value = env.names.get(node.id)
        if isinstance(value, (T.Var, T.Const)) and isinstance(value.type, _VALUES):
            return temporary(env, node.id, value, node)
        return node
    starred = isinstance(node, _DISPLAYS) and any(isinstance(e, ast.Starred) for e in node.elts)
    if isinstance(node, _DISPLAYS) and not (starred and changes_again(node)):
        parts = [_once(ctx, e, env) for e in node.elts]
        made: ast.expr = ast.Set(parts)
        if not isinstance(node, ast.Set):
            made = type(node)(parts, ast.Load())
        return ast.copy_location(made, node)
    if isinstance(node, ast.Call) and id(ctx.static(node.func, env)) in ITERABLES:
        return call_with_values(ctx, node, env)
    return temporary(env, ast.unparse(node), ctx.expression(node, env), node)
