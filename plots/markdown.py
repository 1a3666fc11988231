"""Tables as Markdown, in which no text of a row is read as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from .legend import is_number

# What begins code, emphasis, formulas, HTML, entities, links, and columns of a table; underscores
# within words and brackets by themselves begin nothing.
_ACTIVE = re.compile(r"[\\`*|$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<!\w)_|(?<=\])\(|~(?=~)|(?<=~)~")
# At the beginning of a line: headings, quotes, lists, rules, and where a link leads.
_FIRST = re.compile(r"^([#>+-]|\d+[.)](?=\s)|\[(?=[^]]*\]:\s*\S+\s*$))")


def markdown(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str]
) -> str:
    """The caption, the table, remarks, and the notes, numbered like their marks."""
    # Numbers as they are in the other files, and to the right.
    text = table.astype(str)
    right = [is_number(text[c]) for c in text.columns]
    sides = ["right" if r else "left" for r in right]
    text = text.map(escape).rename(columns=escape)
    aligned = text.to_markdown(index=False, disable_numparse=True, colalign=sides)
    # A list of its own; one line per reason.
    numbered = "\n".join(f"{n}. {_line(note)}" for n, note in enumerate(notes, 1))
    blocks = [_line(caption), aligned, *map(_line, remarks), numbered]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escape(text: str) -> str:
    """Text as Markdown shows it, in one line."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def _line(text: str) -> str:
    """The same where a line begins with it."""
    return _FIRST.sub(r"\\\1", escape(text))
