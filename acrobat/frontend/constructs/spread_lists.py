"""Lists whose items become operands, `ops.concat(*features)`: the number of items must be known, so
loops that collect such a list are unrolled."""

from __future__ import annotations

import ast
import dataclasses

import numpy as np

from ...ir import typed as T
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..scope import Env
from .operations import operation_name

_NUMPY = (np.concatenate, np.hstack)


def counted_out(
    ctx: FunctionContext, loop: ast.For, space: IterationSpace
) -> IterationSpace | None:
    """The unrolled iterations of a loop, if it collects such a list and their number is known."""
    stop = space.stop
    if not isinstance(stop, T.Const) or not space.counts or not 0 < stop.value <= MAX_UNROLLED:
        return None
    if not _collected(loop) & _spread(ctx):
        return None
    return dataclasses.replace(space, unrolled=int(stop.value))


def _joins(function: object, words: list[ast.keyword]) -> bool:
    """Whether a call joins the tensors in its first argument, a list, other than as rows."""
    if function is np.stack and [k.arg for k in words] == ["axis"]:
        return ast.unparse(words[0].value) != "0"
    return operation_name(function) == "concat" or any(function is f for f in _NUMPY)


def _collected(loop: ast.For) -> set[str]:
    found: set[str] = set()
    for node in (n for stmt in loop.body for n in ast.walk(stmt)):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "extend")):
                found.add(name)
            case ast.AugAssign(ast.Name(name), ast.Add()):
                found.add(name)
    return found


def _spread(ctx: FunctionContext) -> set[str]:
    """The names in `f(*xs)`, `ops.concat(xs)` and `np.concatenate(xs, 1)` of this function."""
    found: set[str] = set()
    for node in ast.walk(ctx.source.tree):
        match node:
            case ast.Call(_, args) if any(isinstance(a, ast.Starred) for a in args):
                parts = [a.value for a in args if isinstance(a, ast.Starred)]
                found |= {p.id for p in parts if isinstance(p, ast.Name)}
            case ast.Call(func, [ast.Name(name), *_], words) if _joins(
                ctx.static(func, Env()), words
            ):
                found.add(name)
    return found
