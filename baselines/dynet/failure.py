"""How the last native build failed, for the rows that lack it: kept until one succeeds."""

from __future__ import annotations

import contextlib
from pathlib import Path

from acrobat.cache import cache_dir

# Of what was said, at its end.
_MOST_LINES, _MOST_CHARACTERS = 12, 1500


def note_failure(target: str, text: str) -> None:
    """Keep the end of `text`; `target` is "cpu", or the architecture of a GPU."""
    lines = [line for line in text.splitlines() if line.strip()]
    path = _path(target)
    with contextlib.suppress(OSError):  # The build's own output has it, too.
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines[-_MOST_LINES:])[-_MOST_CHARACTERS:], encoding="utf-8")


def forget_failure(target: str) -> None:
    """A build has succeeded."""
    with contextlib.suppress(OSError):
        _path(target).unlink()


def last_failure(target: str) -> str:
    """The end of what the last build said, if that failed; "" otherwise."""
    try:
        return _path(target).read_text(encoding="utf-8", errors="replace")[-_MOST_CHARACTERS:]
    except OSError:
        return ""


def _path(target: str) -> Path:
    return cache_dir() / "dynet" / f"failed-{target}.txt"
