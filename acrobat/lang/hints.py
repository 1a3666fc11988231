"""Resolve a class's or function's type hints, strings included, to objects.

A name in a string hint is looked up where its author would look: the enclosing function's
variables (for classes defined inside a function), then the module, then the builtins.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import sys
import types
import typing
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
)
from typing import Any, TypeVar

from ..limits import MAX_TYPE_DEPTH, MAX_TYPE_PARTS
from .tensor import Tensor, TensorHint, tensor_hint

_C = TypeVar("_C", bound=type[Any])

# The frame of the function around a class body, kept from decoration time: unlike a function, a
# class has no closure through which the variables of that frame could be found later.
_SCOPE = "__acrobat_scope__"
_MODULE = "__acrobat_module__"
_HINTS = "__acrobat_hints__"


# The generic types that are taken apart.
_GENERIC = (
    *(tuple, list, set, frozenset, collections.deque),
    *(Sequence, MutableSequence, Iterable, Collection),
    *(dict, Mapping, MutableMapping),
)


class UnknownName(NameError):
    """A hint uses a name that cannot be found."""


class UnreadableHint(ValueError):
    """A field's hint cannot be evaluated; the message says which, and why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Keyed:
    """A dict with these keys, each with a hint for its value: what a TypedDict stands for."""

    items: tuple[tuple[str, Any], ...]


class Recursive:
    """A type that refers to itself: `Tree = Union[str, tuple["Tree", "Tree"]]`, or the same by a
    `type` statement of Python 3.12. In `of`, what it stands for, this object is in its own place.
    Two of the same `alias` are equal."""

    def __init__(self, alias: Any) -> None:
        self.alias = alias
        self.of: Any = None
        self.name = ""  # until it has been found inside itself

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recursive) and self.alias == other.alias

    def __hash__(self) -> int:
        return hash(self.alias)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        # What it stands for contains it, and hashes it.
        return Recursive, (self.alias,), self.__dict__


class NameScope(dict[str, Any]):
    """The names that a function or class sees from outside: `frames` are those of the enclosing
    functions, `module` those of its module; then the builtins. UnknownName for any other."""

    def __init__(self, frames: Mapping[str, Any], module: Mapping[str, Any]) -> None:
        super().__init__()
        self.frames, self.module = frames, module

    def __missing__(self, key: str) -> Any:
        for place in (self.frames, self.module, vars(builtins)):
            if key in place:
                return place[key]
        raise UnknownName(f"the name {key!r} is not defined")


# Names in a hint are looked up in the scope alone, but Python 3.14 imports `typing` to evaluate a
# union of names.
_BUILTINS = {"__import__": __import__}


def made_dataclass(cls: _C, depth: int = 2, **how: bool) -> _C:
    """`cls` as a dataclass that remembers where to look up the names in its hints: in the variables
    of the function that defines it, if any, and in the globals of its module, if that is not an
    imported one (code run by `exec` may give any name for its module)."""
    frame = sys._getframe(depth)
    name = cls.__module__
    if name not in sys.modules:
        # `dataclasses` looks among the imported modules for what "ClassVar" in a hint may mean.
        cls.__module__ = __name__
    made: Any = dataclasses.dataclass(**how)(cls)
    cls.__module__ = made.__module__ = name
    if frame.f_globals is not _imported(name):
        setattr(made, _MODULE, frame.f_globals)
    if frame.f_code.co_name != "<module>" or frame.f_locals is not frame.f_globals:
        setattr(made, _SCOPE, frame)
    return made  # type: ignore[no-any-return]


def _imported(name: str) -> dict[str, Any]:
    return vars(sys.modules.get(name, types.ModuleType("?")))


def module_names(cls: type) -> dict[str, Any]:
    """The names of the module in which a data or params class is defined."""
    found: dict[str, Any] | None = vars(cls).get(_MODULE)
    return _imported(cls.__module__) if found is None else found


def _check_size(hint: Any) -> None:
    """ValueError if `hint` is nested too deep or has too many parts, before it is taken apart:
    parts of an alias may be one shared object, and expand to a tree larger than memory."""
    work, parts = [(hint, 0)], 0
    while work:
        one, depth = work.pop()
        parts += 1
        if depth > MAX_TYPE_DEPTH:
            raise ValueError(f"a type nested more than {MAX_TYPE_DEPTH} deep")
        if parts > MAX_TYPE_PARTS:
            raise ValueError(f"a type of more than {MAX_TYPE_PARTS} parts")
        if isinstance(one, types.GenericAlias) and one.__origin__ in _GENERIC:
            work += [(a, depth + 1) for a in one.__args__]


def _evaluate(
    hint: Any, scope: NameScope, depth: int = 0, around: tuple[Recursive, ...] = ()
) -> Any:
    """`around`: the aliases that are being evaluated, which `hint` is a part of."""
    if depth == 0:
        _check_size(hint)
    if depth > MAX_TYPE_DEPTH:
        raise ValueError("a type that is made of itself")
    if isinstance(hint, typing.ForwardRef):
        hint = hint.__forward_arg__
    if isinstance(hint, str):
        name, hint = hint, eval(hint, {"__builtins__": _BUILTINS}, scope)
        _check_size(hint)
        return _alias(hint, scope, depth + 1, around, name)
    if typing.is_typeddict(hint):
        return _typed_dict(hint, scope, depth, around)
    if depth == 0 or _is_named(hint):
        return _alias(hint, scope, depth, around, getattr(hint, "__name__", ""))
    return _parts(hint, scope, depth, around)


def _alias(
    hint: Any, scope: NameScope, depth: int, around: tuple[Recursive, ...], name: str
) -> Any:
    """What a name stands for, if it is not the name of a type around it."""
    of = hint.__value__ if _is_named(hint) else hint
    if typing.is_typeddict(of):
        return _typed_dict(of, scope, depth, around)
    if isinstance(of, (str, typing.ForwardRef)):
        return _evaluate(of, scope, depth + 1, around)
    if not _is_made_of_others(of):
        return _parts(of, scope, depth, around)
    for one in around:
        if one.alias is hint or one.alias == hint:
            one.name = name
            return one
    this = Recursive(hint)
    this.of = _parts(of, scope, depth + 1, (*around, this))
    return this if this.name else this.of


def _typed_dict(
    cls: Any, scope: NameScope, depth: int, around: tuple[Recursive, ...]
) -> Keyed | Recursive:
    """The hint that a TypedDict stands for, which may contain itself."""
    for one in around:
        if one.alias is cls:
            one.name = cls.__name__
            return one
    if cls.__optional_keys__:
        raise ValueError(
            f"the key {min(cls.__optional_keys__)!r} of {cls.__name__} may be missing, and a "
            f"program needs all of them; their values may be None"
        )
    this = Recursive(cls)
    names = NameScope(scope.frames, module_names(cls))
    hints = cls.__annotations__.items()
    this.of = Keyed(
        tuple((key, _evaluate(h, names, depth + 1, (*around, this))) for key, h in hints)
    )
    return this if this.name else this.of


def _parts(hint: Any, scope: NameScope, depth: int, around: tuple[Recursive, ...]) -> Any:
    """A hint with its parts evaluated."""
    origin = typing.get_origin(hint)
    if origin in _GENERIC:
        items = tuple(_evaluate(a, scope, depth + 1, around) for a in typing.get_args(hint))
        return types.GenericAlias(origin, items)
    if origin is typing.Annotated:
        of, *rest = typing.get_args(hint)
        return tensor_hint(*rest) if of is Tensor else hint
    if is_union(hint):
        members = [_evaluate(a, scope, depth + 1, around) for a in typing.get_args(hint)]
        return typing.Union[tuple(members)]  # noqa: UP007
    return hint


def is_union(hint: Any) -> bool:
    """Whether a hint is a union."""
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _is_named(hint: Any) -> bool:
    """Whether a hint is an alias of Python 3.12: `type Vector = ...`."""
    return type(hint).__name__ == "TypeAliasType"


def _is_made_of_others(hint: Any) -> bool:
    return is_union(hint) or typing.get_origin(hint) in _GENERIC


def resolve_class_hints(cls: type) -> dict[str, Any]:
    """Field name -> hint object of a data or params class. UnreadableHint, which names the field,
    if a hint cannot be evaluated."""
    known: dict[str, Any] | None = vars(cls).get(_HINTS)
    if known is not None:
        return known
    frame = vars(cls).get(_SCOPE)
    scope = NameScope(frame.f_locals if frame is not None else {}, module_names(cls))
    found: dict[str, Any] = {}
    base = cls.__mro__[1]
    if dataclasses.is_dataclass(base):
        found |= resolve_class_hints(base)
    for name, hint in cls.__annotations__.items():
        try:
            found[name] = _evaluate(hint, scope)
        except Exception as error:  # whatever the author's expression raises
            raise UnreadableHint(f"{cls.__name__}.{name}: {said(error)}") from error
    # The frame is no longer needed, and would keep all variables of its function alive.
    setattr(cls, _HINTS, found)
    if frame is not None:
        delattr(cls, _SCOPE)
    return found


def said(error: Exception) -> str:
    """The message of an error in a hint, in one line, without the position of a SyntaxError."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} in the hint"
    return str(error) or type(error).__name__


def visible_types(frame: types.FrameType) -> dict[str, Any]:
    """The local names of a running function that a hint may refer to: classes, unions, aliases."""
    return {
        name: value
        for name, value in frame.f_locals.items()
        if isinstance(value, (type, types.UnionType, types.GenericAlias, TensorHint))
        or typing.get_origin(value) is not None
    }


def function_scope(function: Callable[..., Any], around: Mapping[str, Any]) -> NameScope:
    """Where names used by `function` are looked up: in its closure, among the names `around` it, in
    its module, in the builtins."""
    assert isinstance(function, types.FunctionType)
    closure: dict[str, Any] = dict(around)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            closure[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return NameScope(closure, function.__globals__)


def resolve_hint(hint: Any, scope: NameScope) -> Any:
    """A hint as an object. UnknownName, SyntaxError, TypeError or ValueError if that fails."""
    return _evaluate(hint, scope)
