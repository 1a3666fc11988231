"""The layout of a LaTeX table: its font, its width, and its parts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

# In points, a little less than the available space.
COLUMN, PAGE, HEIGHT = 236.0, 500.0, 600.0
SEPARATION = 3.0
# The height of a caption and the head of a table.
HEAD = 55.0


@dataclass(frozen=True, slots=True)
class Font:
    """A font size in a 10-point document: the width of its digits, and the height of a line,
    including rules, in points."""

    name: str
    digit: float
    line: float


_FONTS = (Font("footnotesize", 4.25, 11.0), Font("scriptsize", 3.98, 9.2))
# The height of a line of notes, and the number of digits that fit into a point of its width.
_NOTE, _NOTE_DIGITS = 8.0, 0.25
# Widths of Computer Modern's characters in thousandths of the font size; a digit has 500.
_WIDTHS = {
    c: width
    for width, characters in (
        (278, ".,;:'|!()[]il"),
        (333, " -"),
        (392, "rst"),
        (444, "cez"),
        (306, "f"),
        (556, "bdhknpu"),
        (528, "vxy"),
        (722, "wABCDGHKNOQRUVXY"),
        (778, "~=±<>+"),
        (833, "m%"),
        (917, "M"),
        (1028, "W"),
        (660, "EFLPSTZ"),
    )
    for c in characters
}
# A column with a cell wider than this many digits contains sentences, which are wrapped; and the
# fraction of a line that wrapped words fill.
_SENTENCE, _RAGGED = 60, 0.85
# The least width of a column of sentences in points.
_NARROWEST = 70.0


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a table. Each of `groups` is a set of columns placed below the previous one,
    after the key columns; `sentences` are the widths in points of columns with wrapped cells;
    `heights` are the heights of the table's lines in points."""

    font: Font
    width: float
    groups: list[list[str]]
    sentences: Mapping[str, float]
    heights: list[float]

    @property
    def room(self) -> float:
        """The space for the lines of a part in points."""
        return HEIGHT / len(self.groups) - HEAD


def keys(columns: Sequence[str]) -> list[str]:
    """The columns that identify a line, repeated where a table is split."""
    return [c for c in ("workload", "size", "batch", "threads") if c in columns]


def layout(text: pd.DataFrame) -> Layout:
    """The layout with the smallest width, and then the largest font, in which the columns fit side
    by side; otherwise with groups of columns. Sentences take the page width that other columns
    leave."""
    named = keys(list(text.columns))
    others = [c for c in text.columns if c not in named]
    sentences = [c for c in others if max(map(digits, text[c]), default=0) > _SENTENCE]
    if sentences and (found := _with_sentences(text, others, sentences)) is not None:
        return found
    for width in (COLUMN, PAGE):
        for font in _FONTS:
            if sum(_width(text, c, font) for c in text.columns) <= width:
                return Layout(font, width, [others], {}, [font.line] * len(text))
    font = _FONTS[-1]
    left = PAGE - sum(_width(text, c, font) for c in named)
    groups: list[list[str]] = []
    used = left + 1
    for column in others:
        wide = _width(text, column, font)
        if used + wide > left:
            groups.append([])
            used = 0.0
        groups[-1].append(column)
        used += wide
    return Layout(font, PAGE, groups, {}, [font.line] * len(text))


def _with_sentences(text: pd.DataFrame, others: list[str], sentences: list[str]) -> Layout | None:
    """The layout with wrapped sentences; None if the other columns leave too little space."""
    font = _FONTS[-1]
    left = PAGE - sum(_width(text, c, font) for c in text.columns if c not in sentences)
    left -= 2 * SEPARATION * len(sentences)
    if left < _NARROWEST * len(sentences):
        return None
    # The square root, since a column's text can grow in height as well as in width.
    shares = {c: math.sqrt(sum(map(digits, text[c]))) for c in sentences}
    widths = {c: left * share / sum(shares.values()) for c, share in shares.items()}
    heights = [
        font.line * max(_lines(text[c].iloc[i], widths[c], font) for c in sentences)
        for i in range(len(text))
    ]
    return Layout(font, PAGE, [others], widths, heights)


def _lines(text: str, width: float, font: Font) -> int:
    return max(1, math.ceil(digits(text) * font.digit / (width * _RAGGED)))


def _width(text: pd.DataFrame, column: str, font: Font) -> float:
    """The width of a column in points, with its head broken at spaces."""
    return max(map(digits, [*text[column], *column.split()])) * font.digit + 2 * SEPARATION


def digits(text: str) -> float:
    """The width of a text in digits."""
    return sum(_WIDTHS.get(c, 500) for c in text) / 500


def note_height(notes: Sequence[str], width: float) -> float:
    """The height in points of notes as wide as a float."""
    return sum(math.ceil(digits(note) / (width * _NOTE_DIGITS)) for note in notes) * _NOTE


def pages(text: pd.DataFrame, found: Layout) -> Iterator[pd.DataFrame]:
    """The lines in parts that fit a page, split where the first column changes, if possible."""
    first = list(text.iloc[:, 0])
    blocks = [len(list(g)) for _, g in itertools.groupby(first)]
    room, heights = found.room, found.heights
    start = end = 0
    for block in blocks:
        if end > start and sum(heights[start : end + block]) > room:
            yield text.iloc[start:end]
            start = end
        end += block
        while sum(heights[start:end]) > room:
            fit = sum(h <= room for h in itertools.accumulate(heights[start:end]))
            cut = start + max(1, fit)
            if cut >= end:
                break
            yield text.iloc[start:cut]
            start = cut
    if end > start or not blocks:
        yield text.iloc[start:]
