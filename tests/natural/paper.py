"""A network that was written from its paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Paper:
    """`refused` is what the compiler says to the network if it does not take it."""

    name: str
    model: Any
    weights: Callable[[], Any]
    instance: Callable[[], Any]
    refused: str = ""
