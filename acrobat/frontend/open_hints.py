"""Hints that are not complete types: `list`, `Tensor`, `dict[str, Tensor]`. The annotated value
determines the rest."""

from __future__ import annotations

import ast
import collections.abc
import typing
from collections.abc import Iterator
from typing import Any, Self, TypeVar

import numpy as np

from ..ir.types import (
    BoolType,
    DictType,
    FloatType,
    IntArrayType,
    IntType,
    KeyedType,
    ListType,
    NothingType,
    OptionalType,
    ParamsRef,
    QueueType,
    SetType,
    TensorType,
    TupleType,
    Type,
)
from ..lang.hints import Keyed, Recursive, is_union
from ..lang.tensor import Tensor

_SHAPED = ("Float32", "Tensor", "Annotated", "Literal")
_NEVER_WHOLE_NAMES = ("deque", "Counter", "defaultdict", "ndarray", "Iterator")
_OPEN = ("list", "dict", "set", "frozenset", "tuple", "Tensor", "Any", "Self", *_NEVER_WHOLE_NAMES)


_NEVER_WHOLE = (
    np.ndarray,
    collections.deque,
    collections.Counter,
    collections.defaultdict,
    collections.abc.Iterator,
)
_BARE = (list, dict, set, frozenset, tuple, Tensor, Any, *_NEVER_WHOLE)


def leaves_open(hint: Any, floats: bool = False) -> bool:
    """Whether a hint, or its text, is not a complete type: `list` alone, or a `Tensor` without its
    shape. What the function is called with determines the rest. `floats`: nor is `float`, which
    may be said of a tensor of rank 0."""
    if isinstance(hint, str):
        try:
            return _leaves_open(ast.parse(hint, mode="eval").body, floats)
        except SyntaxError:
            return False
    if floats and float in mentioned(hint, of_unions=False):
        return True
    return any(map(_is_open, mentioned(hint)))


def mentioned(hint: Any, of_unions: bool = True) -> Iterator[Any]:
    """A hint and those in it, each once, however often it is mentioned; those in unions of several
    types, which tell them apart, and in types that refer to themselves only if `of_unions`."""
    work, seen = [hint], set[int]()
    while work:
        part = work.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        several = is_union(part) and len({*typing.get_args(part)} - {type(None)}) > 1
        if not of_unions and (several or isinstance(part, Recursive)):
            continue
        if isinstance(part, Recursive):
            work.append(part.of)
        elif isinstance(part, Keyed):
            work += [h for _, h in part.items]
        elif typing.get_origin(part) not in (typing.Annotated, typing.Literal):
            work += typing.get_args(part)


def _is_open(hint: Any) -> bool:
    # A hint does not say whether a deque has a `maxlen`, and what the default of a dict is.
    origin = typing.get_origin(hint)
    if isinstance(hint, TypeVar) or hint is Self:
        return True
    return any(origin is kind for kind in _NEVER_WHOLE) or any(hint is kind for kind in _BARE)


def _leaves_open(node: ast.expr, floats: bool) -> bool:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name in _OPEN or (floats and name == "float")
        case ast.Constant(str() as text):
            return leaves_open(text, floats)
        case ast.Subscript(ast.Name(name) | ast.Attribute(_, name)) if name in _NEVER_WHOLE_NAMES:
            return True
        case ast.Subscript(ast.Name(name) | ast.Attribute(_, name), items):
            return name not in _SHAPED and _leaves_open(items, floats)
        case ast.Tuple(elements) | ast.List(elements):
            return any(_leaves_open(e, floats) for e in elements)
        case ast.BinOp(left, _, right):
            return _leaves_open(left, floats) or _leaves_open(right, floats)
    return False


_SEQUENCES = (ListType, TupleType, ParamsRef)
_KINDS: dict[str, tuple[type[Type], ...]] = {
    "list": _SEQUENCES,
    "tuple": _SEQUENCES,
    "dict": (DictType, KeyedType, ParamsRef),
    "set": (SetType,),
    "deque": (QueueType,),
    "Counter": (DictType,),
    "defaultdict": (DictType,),
    "frozenset": (SetType,),
    "Tensor": (TensorType,),
    "Iterator": _SEQUENCES,
    "ndarray": (TensorType, IntArrayType),
    "float": (FloatType, IntType, BoolType, OptionalType, TensorType),
}


def contradicts(hint: ast.expr, t: Type) -> bool:
    """Whether an open hint rules out a value of type `t`."""
    base = hint.value if isinstance(hint, ast.Subscript) else hint
    match base:
        case ast.Name(name) | ast.Attribute(_, name) if name in _KINDS:
            if isinstance(t, NothingType):
                return False
            if isinstance(t, TensorType) and name == "float":
                return bool(t.dims)
            other = name in ("list", "tuple") and isinstance(t, (DictType, OptionalType))
            if isinstance(t, QueueType):
                other = name != "deque"
            if isinstance(t, SetType):
                other = name != ("frozenset" if t.frozen else "set")
            return other or not isinstance(t, _KINDS[name])
    return False
