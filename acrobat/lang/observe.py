"""The observer of a model that runs as plain Python: none, except while a NaN is traced."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol


class Observer(Protocol):
    """What `lang.ops` delegates to."""

    def operation(self, name: str, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """The result of an operation on tensors."""

    def number(self, x: Any, value: float) -> float:
        """The number in a tensor of one element, as a float."""

    def chooses(self, x: Any) -> None:
        """The position of the largest element of a vector is about to be found."""


OBSERVER: ContextVar[Observer | None] = ContextVar("OBSERVER", default=None)
