"""A table as a separate HTML page, which `snakemake --report` shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

_STYLE = """
body { font: 14px/1.4 sans-serif; margin: 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: 2px 10px; white-space: nowrap; font-variant-numeric: tabular-nums }
thead tr { border-top: 2px solid; border-bottom: 1px solid }
tbody { border-bottom: 2px solid }
"""
# A column with a text of more characters than this contains sentences, which are wrapped.
_SENTENCE = 60
_WRAPPED = "td:nth-child({}) {{ white-space: normal; min-width: 16em }}\n"


def table_page(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str]
) -> str:
    """The page: caption, rows with right-aligned numbers, remarks, and the numbered notes."""
    long = [n for n, c in enumerate(table.columns, 1) if _has_sentences(table[c])]
    style = _STYLE + "".join(map(_WRAPPED.format, long))
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{escape(caption)}</title><style>{style}</style></head>\n"
        f"<body>\n<p>{escape(caption)}</p>\n{html_part(table, notes, remarks)}</body>\n</html>\n"
    )


def html_part(table: pd.DataFrame, notes: Sequence[str], remarks: Sequence[str]) -> str:
    """Only the table, remarks and notes."""
    text = table.astype(str)
    sides = ["right" if text[c].str.match(r"\W*\d").any() else "left" for c in text.columns]
    rows = text.to_markdown(index=False, tablefmt="html", disable_numparse=True, colalign=sides)
    below = "".join(f"<p>{escape(remark)}</p>\n" for remark in remarks)
    if notes:
        below += "<ol>\n" + "".join(f"<li>{escape(note)}</li>\n" for note in notes) + "</ol>\n"
    return f"{rows}\n{below}"


def _has_sentences(column: pd.Series) -> bool:
    return bool(column.astype(str).str.len().max() > _SENTENCE)
