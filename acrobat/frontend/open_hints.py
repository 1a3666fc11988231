"""Hints that are not complete types: `list`, `Tensor`, `dict[str, Tensor]`. The annotated value
determines the rest."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ir.types import (
    DictType,
    ListType,
    NothingType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
)
from ..lang.tensor import Tensor

_SHAPED = ("Float32", "Tensor", "Annotated", "Literal")
_OPEN = ("list", "dict", "tuple", "Tensor", "ndarray", "Any")


def leaves_open(hint: Any) -> bool:
    """Whether a hint, or its text, is not a complete type: `list` alone, or a `Tensor` without its
    shape. What the function is called with determines the rest."""
    if isinstance(hint, str):
        try:
            return _leaves_open(ast.parse(hint, mode="eval").body)
        except SyntaxError:
            return False
    return any(_is_open(part) for part in mentioned(hint))


def mentioned(hint: Any) -> Iterator[Any]:
    """A hint and those in it, each once, however often it is mentioned."""
    work, seen = [hint], set[int]()
    while work:
        part = work.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if typing.get_origin(part) not in (typing.Annotated, typing.Literal):
            work += typing.get_args(part)


def _is_open(hint: Any) -> bool:
    return typing.get_origin(hint) is np.ndarray or any(
        hint is kind for kind in (list, dict, tuple, Tensor, np.ndarray, Any)
    )


def _leaves_open(node: ast.expr) -> bool:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name in _OPEN
        case ast.Constant(str() as text):
            return leaves_open(text)
        case ast.Subscript(ast.Name("ndarray") | ast.Attribute(_, "ndarray")):
            return True
        case ast.Subscript(ast.Name(name) | ast.Attribute(_, name), items):
            return name not in _SHAPED and _leaves_open(items)
        case ast.Tuple(elements) | ast.List(elements):
            return any(map(_leaves_open, elements))
        case ast.BinOp(left, _, right):
            return _leaves_open(left) or _leaves_open(right)
    return False


_SEQUENCES = (ListType, TupleType)
_KINDS: dict[str, tuple[type[Type], ...]] = {
    "list": _SEQUENCES,
    "tuple": _SEQUENCES,
    "dict": (DictType,),
    "set": (ListType, TupleType),
    "Tensor": (TensorType,),
    "ndarray": (TensorType,),
}


def contradicts(hint: ast.expr, t: Type) -> bool:
    """Whether an open hint rules out a value of type `t`."""
    base = hint.value if isinstance(hint, ast.Subscript) else hint
    match base:
        case ast.Name(name) | ast.Attribute(_, name) if name in _KINDS:
            if isinstance(t, NothingType):
                return False
            other = name in ("list", "tuple") and isinstance(t, (DictType, OptionalType))
            return other or not isinstance(t, _KINDS[name])
    return False
