"""`@ab.params`: the weights of a model, checked against their declared shapes.

    @ab.params
    class TreeLSTM:
        emb: Float32[Tensor, "V H"]
        w: Float32[Tensor, "2H 5H"]
        b: Float32[Tensor, "5H"]

Objects are made with keyword arguments from arrays, nested lists or PyTorch tensors (parameters
included). Every field is stored as a C-contiguous float32 array; other floating types are converted
(a copy), and a number that float32 cannot hold is an error. Params classes may be nested; they and
weights may be items of lists and tuples (`layers: list[Layer]`) and values of dicts
(`heads: dict[str, Head]`), and may be missing (`b: Float32[Tensor, "H"] | None`). Numbers
(`heads: int`) are constants of the model that is compiled with them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from ..errors import ParamsError
from .declared import check_declaration
from .dimension_sizes import Shaped, check_rank, solve
from .dimension_sizes import Sizes as Sizes
from .hints import UnreadableHint, made_dataclass, resolve_class_hints
from .weight_array import weight_array
from .weight_groups import (
    AsItIs,
    WeightDict,
    convert,
    is_number,
    is_weights,
    items_of,
    leaves,
    number,
    optional_of,
)

_C = TypeVar("_C", bound=type[Any])
MARK = "__acrobat_params__"


@dataclass_transform(frozen_default=True, kw_only_default=True)
def params(cls: _C) -> _C:
    """Declare a set of weights. Fields: `Float32[Tensor, ...]`, other `@ab.params` classes, numbers
    (int, float, bool), lists, tuples and dicts of these, or `None`."""

    check_declaration(
        "@ab.params", cls, "a field for the other weights: they may be nested", lambda base: False
    )

    def check(self: Any) -> None:
        _convert(self)
        solve_sizes(self)

    cls.__post_init__ = check
    made = made_dataclass(cls, frozen=True, kw_only=True, eq=False)
    setattr(made, MARK, True)
    _take_names_alone(made)
    return made


def _take_names_alone(made: Any) -> None:
    """Have the constructor of a params class say what to write if it is given values without
    names."""
    make = made.__init__

    @functools.wraps(make)
    def by_name(self: Any, *values: Any, **named: Any) -> None:
        if values:
            names = ", ".join(f"{f.name}=..." for f in dataclasses.fields(made))
            raise ParamsError(
                f"{made.__name__}: weights are given by name, not by position; write "
                f"{made.__name__}({names})"
            )
        make(self, **named)

    made.__init__ = by_name


def is_params(obj: object) -> bool:
    """Whether `obj` is a class made by `@ab.params`."""
    return isinstance(obj, type) and MARK in vars(obj)


def check_class(model: str, takes: type | None, given: type) -> None:
    """ParamsError if the weights given to a model are of another class than it takes."""
    if takes is None or takes is given:
        return
    if takes.__name__ != given.__name__:
        raise ParamsError(f"params: {model} takes {takes.__name__}, got {given.__name__}")
    full = [f"{c.__module__}.{c.__qualname__}" for c in (takes, given)]
    if full[0] == full[1]:  # a module, or a cell of a notebook, that ran twice
        full = [f"{name} (0x{id(c):x})" for name, c in zip(full, (takes, given), strict=True)]
    raise ParamsError(
        f"params: {model} takes {full[0]}, got another class of that name, {full[1]}; "
        f"make the weights with the class that the model's hint means"
    )


def fields_of(values: Any) -> list[tuple[str, Any, Any]]:
    """The weights and nested params that an object holds, as `(path, hint, value)`; the items of a
    list have paths such as "layers.0". What is missing is left out."""
    found: list[tuple[str, Any, Any]] = []
    for name, hint in resolve_class_hints(type(values)).items():
        found += leaves(getattr(values, name), hint, name)
    return found


def constants(values: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """What a model is compiled for besides shapes: numbers among the weights, and what is none of
    them, by path."""
    for name, hint in resolve_class_hints(type(values)).items():
        yield from _constants(getattr(values, name), hint, f"{prefix}{name}")


def _constants(value: Any, hint: Any, path: str) -> Iterator[tuple[str, Any]]:
    if hint is AsItIs or isinstance(value, (bool, int, float)):
        yield path, value
    elif isinstance(value, tuple):
        items = items_of(optional_of(hint) or hint)
        hints = items(len(value)) if items is not None else [None] * len(value)
        for i, (item, of) in enumerate(zip(value, hints, strict=True)):
            yield from _constants(item, of, f"{path}.{i}")
    elif isinstance(value, WeightDict):
        for key, item in value.items():
            yield from _constants(item, None, f"{path}.{key}")
    elif is_params(type(value)):
        yield from constants(value, f"{path}.")


def has_numbers(values: Any) -> bool:
    """Whether there is an int among the weights, which may be a size."""
    return any(_has_int(getattr(values, name)) for name in resolve_class_hints(type(values)))


def _has_int(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_int, value.values()))
    if isinstance(value, tuple):
        return any(map(_has_int, value))
    return type(value) is int or (is_params(type(value)) and has_numbers(value))


def weights(values: Any) -> dict[str, np.ndarray]:
    """The arrays of a params object by path: "w", "forward.w" for nested params, "layers.0.w"."""
    found: dict[str, np.ndarray] = {}
    for path, hint, value in fields_of(values):
        if is_params(hint):
            found |= {f"{path}.{inner}": a for inner, a in weights(value).items()}
        else:
            found[path] = value
    return found


def sizes(values: Any) -> dict[str, int]:
    """The size of every named dimension that is the same everywhere; ParamsError if two fields
    disagree about one."""
    return dict(solve_sizes(values).shared)


def solve_sizes(values: Any) -> Sizes:
    """The sizes of all named dimensions; ParamsError if two fields disagree about one."""
    return solve(_shaped(values, ""))


def _shaped(values: Any, prefix: str) -> list[Shaped]:
    """All weights, those of nested params first."""
    cls = type(values)
    found: list[Shaped] = []
    own: list[Shaped] = []
    for path, hint, value in fields_of(values):
        whole = f"{prefix}{path}"
        if is_params(hint):
            found += _shaped(value, f"{whole}.")
            continue
        check_rank(f"{cls.__name__}.{path}", hint, value.shape)
        # The items of a list may differ, too.
        scope, kind = (whole, (cls, path.split(".")[0])) if "." in path else (prefix[:-1], cls)
        own.append(Shaped(whole, scope, kind, f"{cls.__name__}.{path}", hint, value))
    return found + own


def _convert(self: Any) -> None:
    name_of_class = type(self).__name__
    try:
        hints = resolve_class_hints(type(self))
    except UnreadableHint as error:
        raise ParamsError(f"the hint of {error}") from error

    def one(value: Any, hint: Any, name: str) -> Any:
        if is_number(hint):
            return number(value, hint, name)
        if not is_params(hint):
            return weight_array(value, name)
        if type(value) is not hint:
            raise ParamsError(f"{name}: expected {hint.__name__}, got {type(value).__name__}")
        return value

    for name, hint in hints.items():
        if not is_weights(hint, is_params):
            raise ParamsError(
                f"{name_of_class}.{name}: a weight is declared as Float32[Tensor, ...], as another "
                f"@ab.params class, as a number (int, float, bool), or as a list or dict[str, ...] "
                f"of these, not as {hint!r}"
            )
        made = convert(getattr(self, name), hint, f"{name_of_class}.{name}", one)
        object.__setattr__(self, name, made)
