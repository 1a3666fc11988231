"""Builds the results of a mini-batch from the values that control flow returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..ir import typed as T
from ..ir.types import ListType, MemberType, TensorType, Type
from ..lang.data import is_data, runs_post_init
from ..runtime.records import Record, filled, together
from .graph import Graph
from .memory import Arena
from .node import Handle


class Results:
    """The results of one call. `tensors` has, for every instance, the tensors of its result in
    order, or None for a tensor that the instance brought itself."""

    def __init__(
        self, result: Type, types: Mapping[type, Mapping[str, Type]], graph: Graph, arena: Arena
    ) -> None:
        self._type, self._fields, self._graph, self._arena = result, types, graph, arena
        # The objects made for the current result, by the identity of their data (python/rebuilt.h).
        self._rebuilt: dict[int, Any] = {}
        self.tensors: list[list[Handle | None]] = []

    def add(self, values: list[Any]) -> Any:
        """Return the result of an instance, rebuilt according to the declared type."""
        self._rebuilt.clear()
        self.tensors.append([])
        return together(iter(values), self._type, self._value)

    def _value(self, value: Any, t: Type) -> Any:
        """Return `value` with its handles replaced by arrays."""
        if isinstance(value, Handle):
            assert isinstance(t, TensorType)
            self.tensors[-1].append(value)
            at = self._graph.place(value)
            # A copy: other results may contain the tensor too, and the arena need not stay alive.
            return (
                self._arena.floats[at : at + t.size].reshape([d.known or 0 for d in t.dims]).copy()
            )
        if isinstance(t, ListType):
            items = [self._value(v, t.item) for v in value]
            return tuple(items) if t.frozen else items
        if isinstance(value, T.Text):
            return str(value)
        if isinstance(t, MemberType):
            return t.members[value]
        if is_dataclass(value) or isinstance(value, Record):
            if id(value) in self._rebuilt:
                return self._rebuilt[id(value)]
            made = self._rebuilt[id(value)] = self._data(value)
            return made
        if isinstance(value, np.ndarray):
            self.tensors[-1].append(None)
        return value

    def _data(self, value: Any) -> Any:
        """Return an object of the author's class."""
        if isinstance(value, Record):
            parts = value.given(self._value)
            if value.data.raw:
                return parts[0]
            cls = value.data.cls
            by_class = is_data(cls) and not runs_post_init(cls)
            return cls(*parts) if by_class else filled(value.data, parts)
        types = self._fields[type(value)]
        parts = [self._value(getattr(value, f.name), types[f.name]) for f in fields(value)]
        return type(value)(*parts)
