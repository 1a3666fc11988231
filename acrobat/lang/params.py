"""`@ab.params`: the weights of a model, checked against their declared shapes.

    @ab.params
    class TreeLSTM:
        emb: Float32[Tensor, "V H"]
        w: Float32[Tensor, "2H 5H"]
        b: Float32[Tensor, "5H"]

Instances are made by keyword from arrays, nested lists or tensors of PyTorch (also parameters).
Every field is stored as a C-contiguous float32 array; other floating types are converted (a copy),
and a number that float32 cannot hold is an error. Parameters may nest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from ..errors import ParamsError
from .declared import check_declaration
from .hints import UnreadableHint, remember_scope, resolve_class_hints
from .tensor import TensorHint
from .weight_array import weight_array

_C = TypeVar("_C", bound=type[Any])
MARK = "__acrobat_params__"


@dataclass_transform(frozen_default=True, kw_only_default=True)
def params(cls: _C) -> _C:
    """Declare a set of weights. Fields: `Float32[Tensor, ...]` or other `@ab.params` classes."""

    check_declaration("@ab.params", cls, "a field for the other weights: they may be nested")

    def check(self: Any) -> None:
        _convert(self)
        sizes(self)

    cls.__post_init__ = check
    made = dataclasses.dataclass(frozen=True, kw_only=True, eq=False)(cls)
    setattr(made, MARK, True)
    remember_scope(made)
    return made  # type: ignore[return-value]


def is_params(obj: object) -> bool:
    """Whether `obj` is a class made by `@ab.params`."""
    return isinstance(obj, type) and MARK in vars(obj)


def check_class(model: str, takes: type | None, given: type) -> None:
    """ParamsError if a model takes weights of another class than those that it is given."""
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


def weights(values: Any) -> dict[str, np.ndarray]:
    """The arrays of a params object by path: "w", and "forward.w" for nested params."""
    found: dict[str, np.ndarray] = {}
    for field in dataclasses.fields(values):
        value = getattr(values, field.name)
        if is_params(type(value)):
            found |= {f"{field.name}.{path}": a for path, a in weights(value).items()}
        else:
            found[field.name] = value
    return found


def sizes(values: Any) -> dict[str, int]:
    """The size of every named dimension; ParamsError if two fields disagree about one."""
    bound: dict[str, tuple[int, str]] = {}
    _bind(values, "", bound)
    return {name: size for name, (size, _) in bound.items()}


def _convert(self: Any) -> None:
    name_of_class = type(self).__name__
    try:
        hints = resolve_class_hints(type(self))
    except UnreadableHint as error:
        raise ParamsError(f"the hint of {error}") from error
    for name, hint in hints.items():
        value = getattr(self, name)
        if is_params(hint):
            if type(value) is not hint:
                raise ParamsError(
                    f"{name_of_class}.{name}: expected {hint.__name__}, got {type(value).__name__}"
                )
            continue
        if not isinstance(hint, TensorHint):
            raise ParamsError(
                f"{name_of_class}.{name}: a weight is declared as Float32[Tensor, ...] "
                f"or as another @ab.params class, not as {hint!r}"
            )
        array = weight_array(value, f"{name_of_class}.{name}")
        object.__setattr__(self, name, array)


def _bind(values: Any, prefix: str, bound: dict[str, tuple[int, str]]) -> None:
    """Solve the declared shapes against the given ones, field by field, until nothing is open."""
    hints = resolve_class_hints(type(values))
    for name, hint in hints.items():
        if is_params(hint):
            _bind(getattr(values, name), f"{prefix}{name}.", bound)
    open_fields: Mapping[str, TensorHint] = {
        n: h for n, h in hints.items() if isinstance(h, TensorHint)
    }
    owner = type(values).__name__
    for name, hint in open_fields.items():
        shape = getattr(values, name).shape
        if len(shape) != len(hint.dims):
            raise ParamsError(
                f"{owner}.{name}: declared {hint}, got an array of shape {shape} "
                f"({len(shape)} dimensions instead of {len(hint.dims)})"
            )
    while open_fields:
        rest = {}
        for name, hint in open_fields.items():
            if not _bind_field(owner, prefix, name, hint, getattr(values, name).shape, bound):
                rest[name] = hint
        if len(rest) == len(open_fields):
            names = ", ".join(rest)
            raise ParamsError(
                f"{owner}: the dimensions of {names} cannot be told from the arrays; "
                f"declare a weight whose shape gives each name alone"
            )
        open_fields = rest


def _bind_field(
    owner: str,
    prefix: str,
    name: str,
    hint: TensorHint,
    shape: tuple[int, ...],
    bound: dict[str, tuple[int, str]],
) -> bool:
    """Bind or check every dimension of one field; False if one has several unknown names."""
    complete = True
    for dim, size in zip(hint.dims, shape, strict=True):
        left = dim.bind({n: s for n, (s, _) in bound.items()})
        if left.known is None and len(left.terms) > 1:
            complete = False
            continue
        if left.known is None:
            ((symbol, coeff),) = left.terms
            value, remainder = divmod(size - left.const, coeff)
            if remainder or value <= 0:
                raise ParamsError(
                    f"{owner}.{name}: declared {hint}, got shape {shape}: {size} is not {dim} "
                    f"for any {symbol}"
                )
            bound[symbol] = (value, f"{prefix}{name}")
        elif left.known != size:
            where = ", ".join(
                f"{s} = {bound[s][0]} from {bound[s][1]}" for s in dim.symbols if s in bound
            )
            because = f" ({where})" if where else ""
            raise ParamsError(
                f"{owner}.{name}: declared {hint}, got shape {shape}: {dim} is "
                f"{left.known}{because}, not {size}"
            )
    return complete
