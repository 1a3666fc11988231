"""Tables as Markdown, in which no text from a row is interpreted as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from .legend import is_number

# Characters that begin code, emphasis, formulas, HTML, entities, links, and table columns;
# underscores within words and brackets by themselves do not.
_ACTIVE = re.compile(r"[\\`*|$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<!\w)_|(?<=\])\(|~(?=~)|(?<=~)~")
# At the beginning of a line: headings, quotes, lists, rules, and link definitions.
_FIRST = re.compile(r"^([#>+-]|\d+[.)](?=\s)|\[(?=[^]]*\]:\s*\S+\s*$))")


def markdown(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str]
) -> str:
    """The caption, the table, remarks, and the notes, numbered like their marks."""
    # Numbers are formatted as in the other files, and right-aligned.
    text = table.astype(str)
    right = [is_number(text[c]) for c in text.columns]
    sides = ["right" if r else "left" for r in right]
    text = text.map(escape).rename(columns=escape)
    aligned = text.to_markdown(index=False, disable_numparse=True, colalign=sides)
    # A separate numbered list with one line per reason.
    numbered = "\n".join(f"{n}. {_line(note)}" for n, note in enumerate(notes, 1))
    blocks = [_line(caption), aligned, *map(_line, remarks), numbered]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escape(text: str) -> str:
    """Text escaped for Markdown, on one line."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def _line(text: str) -> str:
    """Text escaped for Markdown, at the beginning of a line."""
    return _FIRST.sub(r"\\\1", escape(text))
