"""Expressions by kind. Those of `vectors` and `scalars` are registered before all others: what a
seed draws follows from the order."""

from __future__ import annotations

from . import scalars, vectors  # noqa: F401
from .productions import ENDS, V, called, expression, production

__all__ = ["ENDS", "V", "called", "expression", "production"]
