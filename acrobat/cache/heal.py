"""Rebuilds files that were damaged between two steps of a build."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..log import logger
from .seal import DamagedFile

_T = TypeVar("_T")
_ATTEMPTS = 4


def rebuild_damaged(build: Callable[[], _T]) -> _T:
    """Return the result of `build`, which finds or makes cached files and uses them. Repeats it if
    one of them was damaged in between; DamagedFile if that happens every time."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return build()
        except DamagedFile as error:
            logger.warning("%s; building it again", error)
    return build()
