"""`*` of a list in a call: `ops.stack(*rows)` and `max(*xs, 0)` take one list instead; `**` of
weights in a dict, `cell(x, **layer)`."""

from __future__ import annotations

import ast
from collections.abc import Collection
from types import NoneType

from ...ir.types import FLOAT, INT, TEXT, KeyedType, ListType
from ..context import FunctionContext
from ..emit import known_items
from ..scope import Env
from ..syntax import has_effect
from ..weight_parts import weight_keys
from ..written import call, known, placed
from .arguments import temporary, with_parts
from .dicts import with_known_keys
from .operations import operation_name


def with_arguments(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """The call with an expression for each of its arguments."""
    if any(k.arg is None for k in node.keywords):
        words = [w for k in node.keywords for w in _by_name(ctx, k, env)]
        node = ast.copy_location(ast.Call(node.func, node.args, words), node)
    return with_parts(ctx, _with_one_list(ctx, node, env), env)


def _by_name(ctx: FunctionContext, word: ast.keyword, env: Env) -> list[ast.keyword]:
    """`**layer` as an argument for each key, which is known when the model is compiled."""
    if word.arg is not None:
        return [word]
    source = word.value
    if isinstance(source, ast.Dict) and None in source.keys:  # `{**layer, "b": b}`
        source = with_known_keys(ctx, source, env)
    if isinstance(source, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in source.keys]
        if all(isinstance(k, str) for k in keys) and len({*keys}) == len(keys):
            pairs = zip(keys, source.values, strict=True)
            return [ast.keyword(str(k), value) for k, value in pairs]
    constants = ctx.static(source, env)
    if type(constants) is dict and all(isinstance(k, str) for k in constants):
        return [ast.keyword(k, _item(source, k, constants[k])) for k in constants]
    names: Collection[str] | None = None
    if isinstance(source, (ast.Name, ast.Attribute, ast.Subscript)) and not has_effect(source):
        with ctx.region():
            value = ctx.peek(source, env.copy())
        names = weight_keys(ctx, value)
        if isinstance(value.type, KeyedType) and value.type.key == TEXT:
            names = value.type.keys
    if names is None:
        ctx.fail("AC002", source, "`**` in a call", "each argument by itself")
    return [
        ast.keyword(n, placed(ast.Subscript(source, ast.Constant(n), ast.Load()), source))
        for n in names
    ]


def _item(source: ast.expr, key: str, value: object) -> ast.expr:
    """`source[key]`, a constant if the value is one."""
    if type(value) in (bool, int, float, str, NoneType):
        return placed(ast.Constant(value), source)  # type: ignore[arg-type]
    return placed(ast.Subscript(source, ast.Constant(key), ast.Load()), source)


def _with_one_list(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """The call with one list in place of its arguments, if `*` gives it items of a list; any other
    call itself."""
    spread = [a.value for a in node.args if isinstance(a, ast.Starred)]
    if not spread:
        return node
    callee = ctx.static(node.func, env)
    least = callee in (max, min) and len(node.args) > 1
    if not least and operation_name(callee) != "stack":
        return node
    if any(k.arg == "default" for k in node.keywords):
        return node  # an error in Python, too
    if not any(_is_list(ctx, value, env) for value in spread):
        return node
    items: ast.expr = placed(ast.List(list(map(_listed, node.args)), ast.Load()), node)
    if least:
        with ctx.region():
            t = ctx.expression(items, env.copy()).type
        if not isinstance(t, ListType) or t.item not in (INT, FLOAT):
            return node  # one argument that is a string or a tuple has items of its own
        items = temporary(
            env, f"the arguments of {ast.unparse(node)}", ctx.expression(items, env), node
        )
        few = ast.Compare(call(len, items), [ast.Lt()], [known(2)])
        error = ast.Raise(call(TypeError, known("'int' object is not iterable")), None)
        ctx.statement(placed(ast.If(few, [error], []), node), env)
    return ast.copy_location(ast.Call(node.func, [items], node.keywords), node)


def _listed(node: ast.expr) -> ast.expr:
    match node:
        case ast.Starred(ast.GeneratorExp(item, generators)):
            every = ast.copy_location(ast.ListComp(item, generators), node)
            return ast.copy_location(ast.Starred(every, ast.Load()), node)
    return node


def _is_list(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` is a list whose length is not known when the model is compiled."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return True
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(isinstance(e, ast.Starred) for e in node.elts)
    with ctx.region():
        value = ctx.peek(node, env.copy())
    return isinstance(value.type, ListType) and known_items(ctx, value) is None
