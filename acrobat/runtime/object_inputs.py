"""Instances that were checked once and may run several times, for executors that take Python's
objects as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InstanceError
from .prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class ObjectInputs(PreparedInputs):
    """The instances, and the milliseconds that checking them took."""

    instances: tuple[Any, ...]

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.instances)


def require_list(instances: object) -> None:
    """InstanceError if there is no list (or tuple) of instances."""
    if not isinstance(instances, (list, tuple)):
        raise InstanceError(
            f"expected a list of instances, got {type(instances).__name__}; "
            f"for one instance pass a list of one"
        )
