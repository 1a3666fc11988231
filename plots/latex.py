"""Tables as LaTeX for a paper of two columns (3.33 in each, 7 in together): a float as wide as a
column if the table fits, else as wide as the page; in parts if it is longer than a page, or wider.
Every file can be \\input by itself; it needs the package booktabs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pandas as pd

from .legend import is_number

# In points; a little less than there is.
_COLUMN, _PAGE = 232.0, 498.0
_SEPARATION = 3.0
# Sizes of a document of 10 points: the name, and the width of a digit.
_FONTS = (("footnotesize", 4.25), ("scriptsize", 3.98))
# Lines of a part, so that its notes fit on the page too.
_LINES = 44

_ESCAPED = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"$\sim$", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"±": r"$\pm$", "<": r"$<$", ">": r"$>$", "|": r"$|$"}
)


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
    parts = list(_pages(text))
    floats = []
    for n, part in enumerate(parts):
        tabulars = [_tabular(part[[*keys, *group]], right) for group in groups]
        label = f"tab:{name}" + (f"-{n + 1}" if n else "")
        said = caption + (f" Part {n + 1} of {len(parts)}." if len(parts) > 1 else "")
        last = below if n == len(parts) - 1 else []
        floats.append(_float(tabulars, font, width, said, label, last))
    return "% \\usepackage{booktabs}\n" + "\n".join(floats)


def escape(text: str) -> str:
    """Text as LaTeX prints it."""
    return text.translate(_ESCAPED)


def _keys(columns: list[str]) -> list[str]:
    """The columns that name a line, repeated where a table is cut."""
    return [c for c in ("workload", "size", "batch", "threads") if c in columns]


def _layout(text: pd.DataFrame, keys: list[str]) -> tuple[str, float, list[list[str]]]:
    """The font, the width of the float, and the groups of columns that are one below the other."""
    others = [c for c in text.columns if c not in keys]
    for width in (_COLUMN, _PAGE):
        for font, digit in _FONTS:
            if sum(_width(text, c, digit) for c in text.columns) <= width:
                return font, width, [others]
    font, digit = _FONTS[-1]
    left = _PAGE - sum(_width(text, c, digit) for c in keys)
    groups: list[list[str]] = []
    used = left + 1
    for column in others:
        wide = _width(text, column, digit)
        if used + wide > left:
            groups.append([])
            used = 0.0
        groups[-1].append(column)
        used += wide
    return font, _PAGE, groups


def _width(text: pd.DataFrame, column: str, digit: float) -> float:
    """About how wide a column is, in points, its head broken at spaces."""
    cells = [*text[column], *column.split()]
    return max(sum(map(_units, cell)) for cell in cells) * digit + 2 * _SEPARATION


def _units(character: str) -> float:
    """About how wide a character is, in digits."""
    if character in ".,;:'!|()[]il ":
        return 0.56
    if character in "mwMW~=%":
        return 1.7
    return 1.4 if character.isupper() else 1.05


def _pages(text: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The lines in parts that fit on a page, cut where the first column changes if possible."""
    first = list(text.iloc[:, 0])
    blocks = [len(list(g)) for _, g in itertools.groupby(first)]
    start = size = 0
    for block in blocks:
        if size and size + block > _LINES:
            yield text.iloc[start : start + size]
            start, size = start + size, 0
        size += block
        while size > _LINES:
            yield text.iloc[start : start + _LINES]
            start, size = start + _LINES, size - _LINES
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
        cells = list(map(escape, line))
        # A name is not repeated below itself.
        if not right[part.columns[0]]:
            new, before = line[0] != before, line[0]
            lines += [r"\midrule"] if new else []
            cells[0] = cells[0] if new else ""
        elif len(lines) == 3:
            lines.append(r"\midrule")
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _float(
    tabulars: Sequence[str],
    font: str,
    width: float,
    caption: str,
    label: str,
    below: Sequence[str],
) -> str:
    kind = "table" if width == _COLUMN else "table*"
    lines = [rf"\begin{{{kind}}}[tp]", r"\centering"]
    if caption:
        lines.append(rf"\caption{{{escape(caption)}}}")
    lines += [rf"\label{{{label}}}", rf"\{font}", rf"\setlength{{\tabcolsep}}{{{_SEPARATION:g}pt}}"]
    lines.append("\n\\par\\medskip\n".join(tabulars))
    if below:
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\scriptsize\raggedright"]
        lines += [rf"{escape(line)}\par" for line in below]
        lines.append(r"\end{minipage}")
    return "\n".join([*lines, rf"\end{{{kind}}}"]) + "\n"
