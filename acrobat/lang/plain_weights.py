"""Weights that are not of an `@ab.params` class: a dict, a list, an object of a plain class, and
these inside of each other.

    weights = {"emb": emb, "layers": [{"w": w0, "b": b0}, {"w": w1, "b": b1}], "heads": 2}

The compiler knows weights by the fields of a params class, so a class is made for each structure
that occurs, and an object of it that holds the arrays as float32. A dict becomes a mapping that is
read like it, a list and a tuple a sequence, an object of a plain class one of a subclass of its
class, with its methods.
"""

from __future__ import annotations

import argparse
import copy
import enum
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from types import GenericAlias
from typing import Any

import numpy as np

from ..errors import ParamsError
from .hints import UnreadableHint, resolve_class_hints
from .made_weights import NumberedDict, Rank, Structure, make
from .model import Model
from .params import fields_of, is_params, solve_sizes, weights
from .tensor import TensorHint
from .weight_array import weight_array
from .weight_groups import AsItIs, optional_of

# A dict with more numbers than these is a vocabulary, which is no part of the weights.
_MOST_NUMBERS = 256
# Objects of classes of these modules, and of Python's own, are no weights.
_LIBRARIES = ("numpy", "torch", "jax", "jaxlib", "scipy")
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, Model)
_NAMESPACES = (types.SimpleNamespace, argparse.Namespace)
# How deep weights may be inside of each other.
_DEEPEST = 32


def as_weights(values: Any) -> Any:
    """`values` as an object of a params class: the object itself if it is one. ParamsError if there
    is no array in it, or one that cannot be a weight."""
    if is_params(type(values)):
        return values
    if values is None or isinstance(values, (str, bytes, int, float)) or _is_array(values):
        raise ParamsError(
            f"params: {type(values).__name__} is no set of weights; give a dict of arrays, an "
            f"object with them in its fields, or one of an @ab.params class"
        )
    hint, made = _Reader().read(values, "params")
    if hint is AsItIs or not weights(made):
        raise ParamsError(
            f"params: found no arrays in {type(values).__name__}; give a dict of arrays, an object "
            f"with them in its fields, or one of an @ab.params class"
        )
    _check_paths(made)
    solve_sizes(made)
    return made


def _check_paths(made: Any) -> None:
    """ParamsError if two weights have the same path, {"a.w": ..., "a": {"w": ...}}."""
    seen = set[str]()
    work = [(made, "")]
    while work:
        values, prefix = work.pop()
        for path, hint, value in fields_of(values):
            whole = f"{prefix}{path}"
            if is_params(hint):
                work.append((value, f"{whole}."))
            elif whole in seen:
                raise ParamsError(f"params: two weights are called {whole!r}; rename one of them")
            seen.add(whole)


class _Reader:
    """Reads values, each as a hint and what a field with this hint holds."""

    def __init__(self) -> None:
        self._around: list[int] = []

    def read(self, value: Any, path: str) -> tuple[Any, Any]:
        """The hint and the value; ParamsError, about `path`, for arrays that cannot be weights."""
        if isinstance(value, np.generic):
            value = _number_of_numpy(value, path)
        if type(value) in (bool, int, float):
            return type(value), value
        if isinstance(value, (enum.Enum, int, float)):
            return AsItIs, value
        if value is None:
            return Rank(0), None
        if is_params(type(value)):
            return type(value), value
        if _is_array(value):
            if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
                _check_wraps(value.dtype, path)
                return AsItIs, value.copy()
            array = weight_array(value, path)
            return Rank(array.ndim), array
        if id(value) in self._around or len(self._around) > _DEEPEST:
            raise ParamsError(f"{path}: weights that contain themselves")
        self._around.append(id(value))
        try:
            return self._container(value, path)
        finally:
            self._around.pop()

    def _container(self, value: Any, path: str) -> tuple[Any, Any]:
        if isinstance(value, Mapping):
            table = len(self._around) > 1 and _is_table(value.values(), functions=True)
            if (
                not table
                and value
                and all(type(k) is int for k in value)
                and _holds_arrays(value.values(), path)
            ):
                numbered = {str(k): v for k, v in value.items()}
                return self._of_fields(numbered, NumberedDict, None, path, "{}[{}]")
            if table or not _is_by_name(value, path):
                return AsItIs, copy.copy(value)
            return self._of_fields(value, dict, None, path, "{}[{!r}]")
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            parts = dict(zip(value._fields, value, strict=True))
            return self._of_fields(parts, list, type(value), path, "{}.{}")
        if isinstance(value, (list, tuple)):
            return self._of_items(value, path)
        fields = _attributes(value, path)
        if fields is None:
            return AsItIs, value
        base = None if type(value) in _NAMESPACES else type(value)
        return self._of_fields(fields, object, base, path, "{}.{}")

    def _of_items(self, value: Sequence[Any], path: str) -> tuple[Any, Any]:
        if len(self._around) == 1:  # all of the weights
            fields = {str(i): v for i, v in enumerate(value)}
            return self._of_fields(fields, list, None, path, "{}[{}]")
        if _is_table(value):
            return AsItIs, copy.copy(value)
        if not value:
            return GenericAlias(list, (float,)), ()
        hints, values = zip(
            *(self.read(v, f"{path}[{i}]") for i, v in enumerate(value)), strict=True
        )
        if any(h is AsItIs for h in hints) and not any(map(_holds_weights, hints)):
            return AsItIs, value
        return GenericAlias(tuple, hints), values

    def _of_fields(
        self, fields: Mapping[str, Any], form: type, base: type | None, path: str, write: str
    ) -> tuple[Any, Any]:
        hints: dict[str, Any] = {}
        held: dict[str, Any] = {}
        declared = _declared(base)
        for name, value in fields.items():
            hints[name], held[name] = self.read(value, write.format(path, name))
            hint = optional_of(declared.get(name)) or declared.get(name)
            if isinstance(hint, TensorHint) and isinstance(held[name], np.ndarray):
                hints[name] = hint
        structure = Structure(form, base, tuple(hints.items()))
        return structure, make(structure, held)


def _number_of_numpy(value: np.generic, path: str) -> Any:
    """A number of numpy as one of Python, which computes in the same way, or as an array.
    ParamsError if there is none: small ints wrap around."""
    if isinstance(value, np.floating) and value.dtype != np.float64:
        return np.asarray(value)
    _check_wraps(value.dtype, path)
    return value.item()


def _check_wraps(dtype: np.dtype[Any], path: str) -> None:
    """ParamsError for ints with which numpy computes in another way than Python at once."""
    if dtype.kind == "u" or (dtype.kind == "i" and dtype.itemsize < 4):
        raise ParamsError(f"{path}: {dtype} wraps around; ints, x.astype(int)")


def _holds_weights(hint: Any) -> bool:
    return isinstance(hint, (Rank, Structure, GenericAlias)) or is_params(hint)


def _holds_arrays(values: Iterable[Any], path: str) -> bool:
    """Whether all of these are arrays, or collections and objects, which may have some."""
    return all(
        _is_array(v)
        or isinstance(v, (list, tuple, Mapping))
        or (not isinstance(v, _FUNCTIONS) and _attributes(v, path) is not None)
        for v in values
    )


def _is_by_name(value: Mapping[Any, Any], path: str) -> bool:
    """Whether a dict has weights by name. ParamsError if it has weights under other keys."""
    for key, item in value.items():
        if isinstance(key, str) and key:
            continue
        if _is_array(item) or isinstance(item, (list, tuple, Mapping)):
            raise ParamsError(
                f"{path}: the keys of weights are strings, not empty, or ints alone, got {key!r}"
            )
        return False
    return len(value) <= _MOST_NUMBERS or not all(
        isinstance(v, (int, float)) for v in value.values()
    )


def _is_table(rows: Iterable[Any], functions: bool = False) -> bool:
    """Whether the items of a list or a dict are strings, or lists and tuples of numbers and strings
    to any depth, and nothing else; or, with `functions`, all of them functions."""
    items, flat = list(rows), True
    if items and all(isinstance(i, str) for i in items):
        return True
    if functions and items and all(isinstance(i, _FUNCTIONS) for i in items):
        return True
    while any(isinstance(i, (list, tuple)) for i in items):
        flat = False
        items = [part for i in items for part in (i if isinstance(i, (list, tuple)) else (i,))]
    return not flat and all(type(i) in (int, float, bool, str) for i in items)


def _attributes(value: Any, path: str) -> dict[str, Any] | None:
    """What an object of the author's holds; None for any other object."""
    cls = type(value)
    if hasattr(cls, "named_parameters"):
        raise ParamsError(
            f"{path}: a {cls.__name__} of PyTorch; give its weights as a dict of arrays, such as "
            f"{{'w': module.linear.weight.T}}, or ab.from_state_dict(Weights, module.state_dict())"
        )
    package = cls.__module__.partition(".")[0]
    of_author = package not in _LIBRARIES and package not in sys.stdlib_module_names
    if isinstance(value, type) or not (of_author or cls in _NAMESPACES):
        return None
    names = [*getattr(value, "__dict__", ())]
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    names = [n for n in dict.fromkeys(names) if not n.startswith("__") and hasattr(value, n)]
    return {n: getattr(value, n) for n in names} if names or hasattr(value, "__dict__") else None


def _declared(base: type | None) -> dict[str, Any]:
    """The hints of a plain class, as far as they can be read."""
    if base is None or "__annotations__" not in vars(base):
        return {}
    try:
        return resolve_class_hints(base)
    except (UnreadableHint, AttributeError):
        return {}


def _is_array(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return (
        isinstance(value, np.ndarray)
        or (torch is not None and isinstance(value, torch.Tensor))
        or (hasattr(type(value), "__dlpack__") and hasattr(type(value), "shape"))
    )
