"""Tensors of rank 0 that `x += y` does not change: what reductions and arithmetic of numpy compute,
and `ops`, is one of numpy's scalars. Some functions give an array of rank 0 instead, which changes
under all of its names: where a program calls one, such an assignment is an error, as one to any
array is that may have another name."""

from __future__ import annotations

import ast

from ..ir.types import TensorType, Type
from .signatures import ModuleBuilder

_MAKERS = frozenset((
    "array", "asarray", "asanyarray", "ascontiguousarray", "zeros", "ones", "empty", "full",
    "zeros_like", "ones_like", "empty_like", "full_like", "reshape", "squeeze", "where", "select",
    "copy", "transpose", "swapaxes", "broadcast_to", "tensordot", "cross", "flip", "roll", "view",
))  # fmt: skip


def note_value(builder: ModuleBuilder, node: ast.expr, t: Type) -> None:
    """Note whether an expression of type `t` may have made an array of rank 0."""
    if isinstance(t, TensorType) and not t.dims and _may_be_array(node):
        builder.arrays_of_rank_0 = True


def _may_be_array(node: ast.expr) -> bool:
    match node:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in _MAKERS
        case ast.Subscript(_, part):
            return not isinstance(part, ast.Slice) and any(
                isinstance(n, ast.Constant) and n.value is Ellipsis for n in ast.walk(part)
            )
    return False


def check_scalars(builder: ModuleBuilder) -> None:
    """Report the assignments for which scalars were assumed, if there may be arrays of rank 0."""
    if builder.arrays_of_rank_0:
        for span, text in dict.fromkeys(builder.taken_for_scalars):
            builder.reporter.error(
                "AC015", span, "an assignment that changes a tensor in place", text
            )
