"""Untrusted text (from systems, libraries, rows) in a form that is safe for every terminal and
file."""

from __future__ import annotations

_KEPT = "\n\t"


def printable(text: str, longest: int | None = None) -> str:
    r"""The text with unprintable characters escaped, such as "\x1b", which may rewrite a terminal's
    lines, or "\udc80", which cannot be encoded; truncated after `longest` characters."""
    if longest is not None and len(text) > longest:
        text = text[:longest] + "..."
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _KEPT else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode()
