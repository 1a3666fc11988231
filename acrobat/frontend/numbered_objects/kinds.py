"""What is known of the values of expressions: where objects of plain classes are in them.

This only directs the rewriting. It may be wrong: the number of an object has a type of its own, and
what is not written for that type is refused when types are inferred."""

from __future__ import annotations

import ast
import typing
from dataclasses import dataclass
from typing import Any

from ...lang.hints import is_union


@dataclass(frozen=True, slots=True)
class Other:
    """Anything in which no objects are known to be."""


@dataclass(frozen=True, slots=True)
class Missing:
    """None."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a plain class, or None if it is `optional`."""

    cls: type
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Many:
    """A list, a set or an iterator of such items; or a dict, with keys."""

    item: Kind | None
    key: Kind | None = None
    is_dict: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """A tuple."""

    items: tuple[Kind | None, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """Always the same weights: `p.cell`, by the names of the entry function."""

    path: str


Kind = Other | Missing | Object | Many | Parts | Fixed
OTHER = Other()
MISSING = Missing()


def join(a: Kind | None, b: Kind | None) -> Kind | None:
    """What is known of a value that is one of two."""
    if a == b or b is None:
        return a
    if a is None:
        return b
    match a, b:
        case Object(cls), Object(other) if cls is other:
            return Object(cls, True)
        case (Object(cls), Missing()) | (Missing(), Object(cls)):
            return Object(cls, True)
        case (Missing(), other) | (other, Missing()):
            return other
        case Many(), Many() if a.is_dict == b.is_dict:
            return Many(join(a.item, b.item), join(a.key, b.key), a.is_dict)
        case Parts(x), Parts(y) if len(x) == len(y):
            return Parts(tuple(map(join, x, y)))
        case (Many(item), Parts(parts)) | (Parts(parts), Many(item)):
            for part in parts:
                item = join(item, part)
            return Many(item)
    return OTHER


def item_of(kind: Kind | None) -> Kind | None:
    """What a loop over a value gives."""
    match kind:
        case Many(item, key, is_dict):
            return key if is_dict else item
        case Parts(items):
            found: Kind | None = None
            for item in items:
                found = join(found, item)
            return found
        case None | Missing():
            return None
    return OTHER


def value_at(kind: Kind | None, index: ast.expr) -> Kind | None:
    """What `x[index]` gives."""
    if isinstance(index, ast.Slice) and kind is not None:
        return Many(item_of(kind)) if isinstance(kind, Parts) else kind
    match kind, index:
        case Many(item), _:
            return item
        case Parts(items), ast.Constant(int() as i) if -len(items) <= i < len(items):
            return items[i]
        case Parts(items), ast.UnaryOp(ast.USub(), ast.Constant(int() as i)) if i <= len(items):
            return items[-i]
        case Parts(), _:
            return item_of(kind)
        case ((None | Missing()), _):
            return None
    return OTHER


def has_object(kind: Kind | None) -> bool:
    """Whether an object is known to be in a value."""
    match kind:
        case Object():
            return True
        case Many(item, key):
            return has_object(item) or has_object(key)
        case Parts(items):
            return any(map(has_object, items))
    return False


def with_numbers(hint: Any, numbers: typing.Mapping[type, type]) -> Any:
    """A hint, in which classes of objects are those of their numbers."""
    if isinstance(hint, type) and hint in numbers:
        return numbers[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Annotated, typing.Literal) or not args:
        return hint
    new = tuple(with_numbers(a, numbers) for a in args)
    if all(x is y for x, y in zip(new, args, strict=True)):
        return hint
    if is_union(hint):
        return typing.Union[new]  # noqa: UP007
    return origin[new]
