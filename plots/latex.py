"""Tables as LaTeX for a paper of two columns (3.33 in each, 7 in together): a float as wide as a
column if the table fits, else as wide as the page; in parts if it is longer than a page, or wider.
Every file can be \\input by itself; it needs the package booktabs."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from .legend import is_number

# In points; a little less than there is.
_COLUMN, _PAGE, _HEIGHT = 236.0, 500.0, 600.0
_SEPARATION = 3.0
# Of a caption with the head of a table.
_HEAD = 55.0


@dataclass(frozen=True, slots=True)
class _Font:
    """A size of a document of 10 points: the widths of its digits, and its lines with rules."""

    name: str
    digit: float
    line: float


_FONTS = (_Font("footnotesize", 4.25, 11.0), _Font("scriptsize", 3.98, 9.2))
# The height of a line of notes, and how many digits it has room for in a point of width.
_NOTE, _NOTE_DIGITS = 8.0, 0.25
# Widths of Computer Modern's characters, in thousandths of its size; a digit has 500.
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

_ESCAPED = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"$\sim$", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"±": r"$\pm$", "<": r"$<$", ">": r"$>$", "|": r"$|$", '"': r"\char34{}"}
    | {"†": r"\textdagger{}"}
)
# What LaTeX's fonts do not have unless they are told to: other scripts, signs, private use.
_UNKNOWN = re.compile(r"[^\x20-\x7e\xb1\xc0-\u017e†]")


def latex(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str], name: str
) -> str:
    """`table`, whose cells are texts or numbers, with label tab:`name`; remarks and numbered notes
    stand below its last part."""
    text = table.astype(str)
    right = {c: is_number(text[c]) for c in text.columns}
    keys = _keys(list(text.columns))
    font, width, groups = _layout(text, keys)
    below = [*remarks, *(f"[{n}] {' '.join(note.split())}" for n, note in enumerate(notes, 1))]
    parts = list(_pages(text, int((_HEIGHT / len(groups) - _HEAD) / font.line)))
    floats = []
    for n, part in enumerate(parts):
        tabulars = [_tabular(part[[*keys, *group]], right) for group in groups]
        label = f"tab:{name}" + (f"-{n + 1}" if n else "")
        said = caption + (f" Part {n + 1} of {len(parts)}." if len(parts) > 1 else "")
        floats.append([rf"\caption{{{escape(said)}}}"] if said else [])
        floats[-1] += [rf"\label{{{label}}}", rf"\{font.name}"]
        floats[-1] += [rf"\setlength{{\tabcolsep}}{{{_SEPARATION:g}pt}}"]
        floats[-1] += ["\n\\par\\medskip\n".join(tabulars)]
    left = _HEIGHT - len(groups) * (_HEAD + len(parts[-1]) * font.line)
    if _note_height(below, width) > left:
        floats.append([])
        left = _HEIGHT
    while below:
        heights = itertools.accumulate(_note_height([note], width) for note in below)
        fit = max(1, sum(height <= left for height in heights))
        floats[-1] += _minipage(below[:fit])
        if below := below[fit:]:
            floats.append([])
            left = _HEIGHT
    kind = "table" if width == _COLUMN else "table*"
    return "% \\usepackage{booktabs}\n" + "\n".join(
        "\n".join([rf"\begin{{{kind}}}[tp]", r"\centering", *lines, rf"\end{{{kind}}}", ""])
        for lines in floats
    )


def escape(text: str) -> str:
    """Text as LaTeX prints it, in one line: an empty one would end an argument."""
    known = _UNKNOWN.sub(lambda found: f"[U+{ord(found[0]):04X}]", " ".join(text.split()))
    return known.translate(_ESCAPED)


def _keys(columns: list[str]) -> list[str]:
    """The columns that name a line, repeated where a table is cut."""
    return [c for c in ("workload", "size", "batch", "threads") if c in columns]


def _layout(text: pd.DataFrame, keys: list[str]) -> tuple[_Font, float, list[list[str]]]:
    """The font, the width of the float, and the groups of columns that are one below the other."""
    others = [c for c in text.columns if c not in keys]
    for width in (_COLUMN, _PAGE):
        for font in _FONTS:
            if sum(_width(text, c, font) for c in text.columns) <= width:
                return font, width, [others]
    font = _FONTS[-1]
    left = _PAGE - sum(_width(text, c, font) for c in keys)
    groups: list[list[str]] = []
    used = left + 1
    for column in others:
        wide = _width(text, column, font)
        if used + wide > left:
            groups.append([])
            used = 0.0
        groups[-1].append(column)
        used += wide
    return font, _PAGE, groups


def _width(text: pd.DataFrame, column: str, font: _Font) -> float:
    """How wide a column is, in points, its head broken at spaces."""
    return max(map(_digits, [*text[column], *column.split()])) * font.digit + 2 * _SEPARATION


def _digits(text: str) -> float:
    """The width of a text in digits."""
    return sum(_WIDTHS.get(c, 500) for c in text) / 500


def _note_height(notes: Sequence[str], width: float) -> float:
    """Of notes as wide as a float, in points."""
    return sum(math.ceil(_digits(note) / (width * _NOTE_DIGITS)) for note in notes) * _NOTE


def _pages(text: pd.DataFrame, most: int) -> Iterator[pd.DataFrame]:
    """The lines in parts of `most` or fewer, cut where the first column changes if possible."""
    first = list(text.iloc[:, 0])
    blocks = [len(list(g)) for _, g in itertools.groupby(first)]
    start = size = 0
    for block in blocks:
        if size and size + block > most:
            yield text.iloc[start : start + size]
            start, size = start + size, 0
        size += block
        while size > most:
            yield text.iloc[start : start + most]
            start, size = start + most, size - most
    if size or not blocks:
        yield text.iloc[start:]


def _tabular(part: pd.DataFrame, right: dict[str, bool]) -> str:
    sides = "".join("r" if right[c] else "l" for c in part.columns)
    heads = []
    for column in part.columns:
        words = " \\\\ ".join(map(escape, column.split()))
        side = "r" if right[column] else "l"
        heads.append(rf"\shortstack[{side}]{{{words}}}" if " " in column else escape(column))
    lines = [rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}", r"\toprule", " & ".join(heads) + r" \\"]
    before = None
    for line in part.itertuples(index=False):
        # A bracket or star behind the end of a line would be an argument of that.
        cells = [f"{{}}{c}" if c.startswith(("[", "*")) else c for c in map(escape, line)]
        # A name is not repeated below itself.
        if not right[part.columns[0]]:
            new, before = line[0] != before, line[0]
            lines += [r"\midrule"] if new else []
            cells[0] = cells[0] if new else ""
        elif len(lines) == 3:
            lines.append(r"\midrule")
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _minipage(notes: Sequence[str]) -> list[str]:
    """Notes as wide as the float."""
    lines = [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\scriptsize\raggedright"]
    return [*lines, *(rf"{escape(note)}\par" for note in notes), r"\end{minipage}"]
