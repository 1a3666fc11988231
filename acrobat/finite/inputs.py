"""Prepared instances of a model that checks its results. They include copies of the instances, so
that one that gave a NaN can be run again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..runtime.prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class CheckedInputs(PreparedInputs):
    """What the program prepared, and the instances as they were at that time."""

    inputs: Any
    instances: tuple[Any, ...]

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.instances)
