"""Keeps the cache from growing forever: the least recently used items are removed first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from ..errors import OptionError
from ..log import logger
from .contents import Item, find_items

_VARIABLE, _DEFAULT_MB = "ACROBAT_CACHE_MB", 5 << 10
# How often the size is checked, which takes 0.1 s for 10,000 files; and the fraction of the bound
# that it is reduced to.
_EVERY_S, _TARGET = 3600.0, 0.8
# An item that was used just now may be about to be used again.
_RECENT_S = 3600.0
_NOTE = "looked-at"


def most_bytes() -> int:
    """Return the most bytes that a cache may have; 0: no bound. OptionError if the environment
    names something other than a number of MiB."""
    text = os.environ.get(_VARIABLE, "")
    if text and not (text.isascii() and text.isdigit() and len(text) < 12):
        raise OptionError(f"{_VARIABLE}={text!r}: expected a whole number of MiB, or 0: no bound")
    return int(text or _DEFAULT_MB) << 20


def prune(
    cache: Path, most: float = float("inf"), since: float = 0.0, recent: float | None = None
) -> list[Item]:
    """Remove items that were last used before `since`, then the least recently used ones until
    `most` bytes are left, but none that was used after `recent`. Returns the removed items."""
    items = sorted(find_items(cache), key=lambda item: item.used)
    left = sum(item.bytes for item in items)
    removed = []
    for item in items:
        if (item.used >= since and left <= most) or (recent is not None and item.used > recent):
            break
        item.remove()
        left -= item.bytes
        removed.append(item)
    return removed


def keep_bound(cache: Path, clock: Callable[[], float] = time.time) -> None:
    """Remove the least recently used files if the cache exceeds its bound; checks once an hour."""
    bound, note, now = most_bytes(), cache / _NOTE, clock()
    try:
        if not bound or abs(now - note.stat(follow_symlinks=False).st_mtime) < _EVERY_S:
            return
    except FileNotFoundError:
        pass
    # Other processes need not check at the same time.
    note.touch(0o644)
    os.utime(note, (now, now), follow_symlinks=False)
    items = find_items(cache)
    if sum(item.bytes for item in items) <= bound:
        return
    removed = prune(cache, bound * _TARGET, recent=now - _RECENT_S)
    if removed:
        logger.info(
            "%d files that were not used for long (%.0f MiB) were removed from %s, which had more "
            "than %d MiB (%s)",
            len(removed),
            sum(item.bytes for item in removed) / 2**20,
            cache,
            bound >> 20,
            _VARIABLE,
        )
