"""Weights of an `@ab.params` class from the `state_dict()` of a `torch.nn.Module`, and back."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from ..errors import ParamsError
from .hints import resolve_class_hints
from .params import is_params, weights
from .stored_form import StoredForm
from .weight_groups import is_number, items_of, optional_of, values_of

_T = TypeVar("_T")


def from_state_dict(
    cls: type[_T], state: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> _T:
    """The weights `cls`, an `@ab.params` class, from tensors by name.

    A field is looked up under its own name, fields of nested params after a dot, those of a list
    after a number, those of a dict after their keys: "encoder.layers.0.w". `names` gives the names
    of fields that the state calls something else, by path ("encoder.proj") or by last name alone,
    for all of that name ("w"). A name that ends in ".T" means the transposed tensor:
    `torch.nn.Linear` keeps its weight as [out, in], and `x @ w` wants [in, out].
    "weight_ih.T[i f g o -> i o g f]" also reorders the gates along the last axis, from the state's
    order to the model's.

        weights = ab.from_state_dict(P, module.state_dict(), {"w": "weight.T", "b": "bias"})

    Lists and dicts get the items and keys that the state has; a field `X | None` that it lacks is
    None; tensors that no field asks for are ignored. ParamsError for a name that is missing, and
    whatever the constructor of `cls` raises.
    """
    if not is_params(cls):
        raise ParamsError(f"from_state_dict makes an @ab.params class, not {cls!r}")
    return _Reader(cls.__name__, state, names or {}).params(cls, "")  # type: ignore[no-any-return]


def to_state_dict(params: Any, names: Mapping[str, str] | None = None) -> dict[str, np.ndarray]:
    """The weights under the names of a state, which `from_state_dict` reads with the same `names`:
    copies, for `safetensors.numpy.save_file` or, as tensors, `load_state_dict`. ParamsError if two
    weights get the same name."""
    if not is_params(type(params)):
        raise ParamsError(f"to_state_dict takes an @ab.params object, not {params!r}")
    owner = type(params).__name__
    reader, state = _Reader(owner, {}, names or {}), dict[str, np.ndarray]()
    for path, weight in weights(params).items():
        form = StoredForm.parse(reader.key(path), f"{owner}.{path}")
        if form.name in state:
            raise ParamsError(f"{owner}.{path}: another weight is called {form.name!r}, too")
        state[form.name] = form.to_state(weight, f"{owner}.{path}")
    return state


def _of_numbers(hint: Any) -> bool:
    """Whether a field of this hint holds nothing but numbers."""
    inner, items = optional_of(hint) or values_of(hint), items_of(hint)
    if inner is not None:
        return _of_numbers(inner)
    return is_number(hint) if items is None else all(map(_of_numbers, items(1)))


def _said(hint: Any) -> str:
    """The hint of a number with a default value, as an example for messages."""
    examples = {int: "int = 2", float: "float = 0.5", bool: "bool = True"}
    return examples.get(hint, "... = ...")


class _Reader:
    def __init__(self, owner: str, state: Mapping[str, Any], names: Mapping[str, str]) -> None:
        self.owner, self.state, self.names = owner, state, names

    def params(self, cls: Any, prefix: str) -> Any:
        hints = resolve_class_hints(cls)
        fields = {f.name: f for f in dataclasses.fields(cls)}
        made = {}
        for name, hint in hints.items():
            path = f"{prefix}{name}"
            # A number is usually an attribute of the module, not in its state.
            if _of_numbers(hint) and not self.has(path):
                if fields[name].default is dataclasses.MISSING:
                    raise ParamsError(
                        f"{self.owner}.{path}: the state has no number of that name; give the "
                        f"field its value as a default: `{name}: {_said(hint)}`"
                    )
                continue
            made[name] = self.field(hint, path)
        return cls(**made)

    def field(self, hint: Any, path: str) -> Any:
        inner = optional_of(hint)
        if inner is not None:
            return self.field(inner, path) if self.has(path) else None
        items = items_of(hint)
        if items is not None:
            count = 0
            while self.has(f"{path}.{count}"):
                count += 1
            return [self.field(h, f"{path}.{i}") for i, h in enumerate(items(count))]
        of_key = values_of(hint)
        if of_key is not None:
            return {k: self.field(of_key, f"{path}.{k}") for k in self.keys_of(path)}
        if is_number(hint):
            return np.asarray(self.tensor(path)).item()
        return self.params(hint, f"{path}.") if is_params(hint) else self.tensor(path)

    def keys_of(self, path: str) -> list[str]:
        """The keys of the dict at `path`: those that `names` renames, and those that follow the
        dict's name in the state."""
        renamed = [n.removeprefix(f"{path}.") for n in self.names if n.startswith(f"{path}.")]
        renamed = [n.split(".")[0] for n in renamed]
        taken = tuple(f"{self.name(f'{path}.{k}')}." for k in renamed)
        before = f"{self.name(path)}."
        others = [n for n in self.state if n.startswith(before) and not f"{n}.".startswith(taken)]
        return list(dict.fromkeys([*renamed, *(n[len(before) :].split(".")[0] for n in others)]))

    def name(self, path: str) -> str:
        """What the state calls the field at `path`, without its stored form."""
        return StoredForm.parse(self.key(path), f"{self.owner}.{path}").name

    def key(self, path: str) -> str:
        """What the state calls the field at `path`."""
        if path in self.names:
            return self.names[path]
        parent, dot, last = path.rpartition(".")
        return (self.key(parent) + dot if dot else "") + self.names.get(last, last)

    def has(self, path: str) -> bool:
        key = self.name(path)
        return key in self.state or any(k.startswith(f"{key}.") for k in self.state)

    def tensor(self, path: str) -> Any:
        form = StoredForm.parse(self.key(path), f"{self.owner}.{path}")
        plain = form.name
        if plain not in self.state:
            near = difflib.get_close_matches(plain, list(self.state), 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise ParamsError(
                f"{self.owner}.{path}: the state has no {plain!r}{meant} (names={{{path!r}: ...}} "
                f"says what it is called)"
            )
        return form.from_state(self.state[plain], f"{self.owner}.{path}")
