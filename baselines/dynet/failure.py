"""The message of the last failed native build, kept for the rows that lack it until a success."""

from __future__ import annotations

import contextlib
from pathlib import Path

from acrobat.cache import cache_dir

# How much of the end of the output is kept.
_MOST_LINES, _MOST_CHARACTERS = 12, 1500


def note_failure(target: str, text: str) -> None:
    """Keep the end of `text`; `target` is "cpu", or the architecture of a GPU."""
    lines = [line for line in text.splitlines() if line.strip()]
    path = _path(target)
    with contextlib.suppress(OSError):  # The build's own output shows the failure, too.
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines[-_MOST_LINES:])[-_MOST_CHARACTERS:], encoding="utf-8")


def forget_failure(target: str) -> None:
    """Drop the message, because a build has succeeded."""
    with contextlib.suppress(OSError):
        _path(target).unlink()


def last_failure(target: str) -> str:
    """The end of the last build's output if it failed; "" otherwise."""
    try:
        return _path(target).read_text(encoding="utf-8", errors="replace")[-_MOST_CHARACTERS:]
    except OSError:
        return ""


def _path(target: str) -> Path:
    return cache_dir() / "dynet" / f"failed-{target}.txt"
