"""Instances that were checked once and may run several times, for executors that take Python's
objects as they are."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Set, ValuesView
from dataclasses import dataclass
from typing import Any

from ..errors import InstanceError
from .prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class ObjectInputs(PreparedInputs):
    """The instances, the milliseconds that reading them took, and the identities of what more than
    one path leads to in them."""

    instances: tuple[Any, ...]
    shared: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.instances)


def require_list(instances: object) -> None:
    """InstanceError if there is no list (or tuple) of instances."""
    if isinstance(instances, (list, tuple)):
        return
    # Views of dicts and what can be gone through once hold instances, and are none.
    several = isinstance(instances, (Iterator, KeysView, ValuesView, Set))
    instead = "pass `list(...)` of it" if several else "for one instance pass a list of one"
    raise InstanceError(f"expected a list of instances, got {type(instances).__name__}; {instead}")
