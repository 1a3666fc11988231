"""Instances that were checked once and may run several times, for executors that take Python
objects as they are."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Set, ValuesView
from dataclasses import dataclass
from typing import Any

from ..errors import InstanceError
from .prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class ObjectInputs(PreparedInputs):
    """The instances, the milliseconds it took to read them, and the identities of the objects in
    them that several paths lead to."""

    instances: tuple[Any, ...]
    shared: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.instances)


def require_list(instances: object) -> None:
    """Raise an InstanceError unless `instances` is a list or tuple."""
    if isinstance(instances, (list, tuple)):
        return
    # Iterators, sets and views of dicts hold several instances, and are not one.
    several = isinstance(instances, (Iterator, KeysView, ValuesView, Set))
    instead = "pass `list(...)` of it" if several else "for one instance pass a list of one"
    raise InstanceError(f"expected a list of instances, got {type(instances).__name__}; {instead}")
