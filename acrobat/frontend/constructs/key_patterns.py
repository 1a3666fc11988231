"""Keys that a string of the instance may be, by what is written around it: `p[name + ".weight"]` is
one of the keys that end so."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TypeVar

from ..context import FunctionContext
from ..scope import Env
from .weight_fields import known_text

# An attribute of the name of a key that is computed once: how it is written.
WRITTEN = "_acrobat_written"
_Key = TypeVar("_Key", str, int, "str | int")


def possible_keys(
    ctx: FunctionContext, node: ast.expr, keys: Collection[_Key], env: Env
) -> tuple[_Key, ...]:
    """Those of `keys` that the value of `node` may be; all of them if it can be none."""
    start, end = _start(ctx, node, env), _end(ctx, node, env)
    found = tuple(
        k
        for k in keys
        if isinstance(k, str)
        and k.startswith(start)
        and k.endswith(end)
        and len(k) >= len(start) + len(end)
    )
    return found or tuple(keys)


def _start(ctx: FunctionContext, node: ast.expr, env: Env) -> str:
    return _ends(ctx, node, env, first=True)[0]


def _end(ctx: FunctionContext, node: ast.expr, env: Env) -> str:
    return _ends(ctx, node, env, first=False)[0]


def _ends(ctx: FunctionContext, node: ast.expr, env: Env, first: bool) -> tuple[str, bool]:
    """What the string begins with (`first`), or ends with; and whether this is all of it."""
    node = getattr(node, WRITTEN, node)
    known = known_text(ctx, node, env)
    if known is not None:
        return known, True
    match node:
        case ast.JoinedStr(parts):
            pass
        case ast.BinOp(left, ast.Add(), right):
            parts = [left, right]
        case ast.FormattedValue(value, -1, None):
            return _ends(ctx, value, env, first)
        case _:
            return "", False
    text = ""
    for part in parts if first else reversed(parts):
        more, whole = _ends(ctx, part, env, first)
        text = text + more if first else more + text
        if not whole:
            return text, False
    return text, True
