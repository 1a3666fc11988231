"""Copies of instances and weights in which every tensor and every float is watched."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..lang.hints import resolve_class_hints
from ..lang.params import is_params
from ..lang.weight_groups import AsItIs, WeightDict
from ..runtime.place import Place
from .watched import given


def watched_instance(instance: Any, number: int) -> Any:
    """Return a watched copy of instance `number`, in which shared objects stay shared. Uses no
    recursion, because instances may be deeper than Python's stack."""
    made: dict[int, Any] = {}
    work: list[tuple[Any, Any, Place]] = []

    def shell(value: Any, place: Place) -> Any:
        """Return the copy of a value, whose contents are filled in later."""
        if id(value) in made:
            return made[id(value)]
        copy: Any
        if dataclasses.is_dataclass(type(value)):
            copy = object.__new__(type(value))
        elif isinstance(value, list):
            copy = []
        elif isinstance(value, tuple):
            # The recursion is only as deep as the type, because lists are filled in later.
            parts = [shell(part, Place(place, j)) for j, part in enumerate(value)]
            return tuple.__new__(type(value), parts)
        elif isinstance(value, np.ndarray):
            copy = given(value, str(place))
        else:
            return given(value, str(place)) if isinstance(value, float) else value
        made[id(value)] = copy
        if not isinstance(value, np.ndarray):
            work.append((value, copy, place))
        return copy

    place = Place(None, number)
    if isinstance(instance, tuple):  # of a model with several parameters
        top: Any = tuple(shell(part, Place(place, j)) for j, part in enumerate(instance))
    else:
        top = shell(instance, place)
    while work:
        value, copy, place = work.pop()
        if isinstance(copy, list):
            copy += [shell(item, Place(place, i)) for i, item in enumerate(value)]
            continue
        for field in dataclasses.fields(value):
            held = shell(getattr(value, field.name), Place(place, field.name))
            object.__setattr__(copy, field.name, held)
    return top


def watched_weights(weights: Any, name: str) -> Any:
    """Return watched weights of the same class; `name` is the model's name for them."""
    copy = object.__new__(type(weights))
    for field, hint in resolve_class_hints(type(weights)).items():
        held = getattr(weights, field)
        held = held if hint is AsItIs else _watched_field(held, f"{name}.{field}")
        object.__setattr__(copy, field, held)
    return copy


def _watched_field(value: Any, path: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_watched_field(v, f"{path}[{i}]") for i, v in enumerate(value))
    if isinstance(value, WeightDict):
        return WeightDict((k, _watched_field(v, f"{path}[{k!r}]")) for k, v in value.items())
    if value is None:
        return None
    return watched_weights(value, path) if is_params(type(value)) else given(value, path)
