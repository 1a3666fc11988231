"""Kinds of indices of a tensor that a statement changes: ints, slices, masks and lists of ints."""

from __future__ import annotations

import ast

from ...ir.types import INT, ListType, TensorType
from ..context import FunctionContext
from ..scope import Env
from ..written import placed


def kind_of(ctx: FunctionContext, env: Env, part: ast.expr) -> str:
    """What an index that is no slice is: "int", "mask", "list" of ints, or "other"."""
    t = ctx.peek(part, env).type
    if t == INT:
        return "int"
    if isinstance(t, TensorType) and t.mask:
        return "mask"
    return "list" if isinstance(t, ListType) and t.item == INT else "other"


def without_dots(index: list[ast.expr], axes: int) -> list[ast.expr]:
    """The index of a tensor with so many axes, with `...` written out."""
    for at, part in enumerate(index):
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            every = [placed(ast.Slice(), part) for _ in range(axes - len(index) + 1)]
            return [*index[:at], *every, *index[at + 1 :]]
    return index


def is_slice(part: ast.expr) -> bool:
    """Whether an index is a slice, or `...`."""
    return isinstance(part, ast.Slice) or (
        isinstance(part, ast.Constant) and part.value is Ellipsis
    )


def is_full(part: ast.expr) -> bool:
    """Whether an index is `:`."""
    return isinstance(part, ast.Slice) and ast.unparse(part) == ":"
