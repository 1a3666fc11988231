"""Tables as LaTeX for a two-column paper (3.33 in per column, 7 in together): a float as wide as a
column if the table fits, otherwise as wide as the page; split into parts if it is longer or wider
than a page. Every file can be \\input by itself; it needs the package booktabs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

import pandas as pd

from .latex_layout import COLUMN, HEAD, HEIGHT, SEPARATION, keys, layout, note_height, pages
from .legend import is_number

_ESCAPED = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"$\sim$", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"±": r"$\pm$", "<": r"$<$", ">": r"$>$", "|": r"$|$", '"': r"\char34{}"}
    | {"†": r"\textdagger{}"}
)
# Characters that LaTeX's default fonts lack: other scripts, symbols, private use.
_UNKNOWN = re.compile(r"[^\x20-\x7e\xb1\xc0-\u017e†]")


def latex(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str], name: str
) -> str:
    """`table`, whose cells are texts or numbers, with the label tab:`name`; remarks and numbered
    notes come below its last part."""
    text = table.astype(str)
    right = {c: is_number(text[c]) for c in text.columns}
    named = keys(list(text.columns))
    found = layout(text)
    font, width = found.font, found.width
    below = [*remarks, *(f"[{n}] {' '.join(note.split())}" for n, note in enumerate(notes, 1))]
    parts = list(pages(text, found))
    floats = []
    for n, part in enumerate(parts):
        tabulars = [_tabular(part[[*named, *g]], right, found.sentences) for g in found.groups]
        label = f"tab:{name}" + (f"-{n + 1}" if n else "")
        said = caption + (f" Part {n + 1} of {len(parts)}." if len(parts) > 1 else "")
        floats.append([rf"\caption{{{escape(said)}}}"] if said else [])
        floats[-1] += [rf"\label{{{label}}}", rf"\{font.name}"]
        floats[-1] += [rf"\setlength{{\tabcolsep}}{{{SEPARATION:g}pt}}"]
        floats[-1] += ["\n\\par\\medskip\n".join(tabulars)]
    lines = sum(found.heights[len(text) - len(parts[-1]) :])
    left = HEIGHT - len(found.groups) * (HEAD + lines)
    if note_height(below, width) > left:
        floats.append([])
        left = HEIGHT
    while below:
        heights = itertools.accumulate(note_height([note], width) for note in below)
        fit = max(1, sum(height <= left for height in heights))
        floats[-1] += _minipage(below[:fit])
        if below := below[fit:]:
            floats.append([])
            left = HEIGHT
    kind = "table" if width == COLUMN else "table*"
    return "% \\usepackage{booktabs}\n" + "\n".join(
        "\n".join([rf"\begin{{{kind}}}[tp]", r"\centering", *lines, rf"\end{{{kind}}}", ""])
        for lines in floats
    )


def escape(text: str) -> str:
    """Text escaped for LaTeX, on one line: an empty line would end an argument."""
    known = _UNKNOWN.sub(lambda found: f"[U+{ord(found[0]):04X}]", " ".join(text.split()))
    return known.translate(_ESCAPED)


def _tabular(part: pd.DataFrame, right: dict[str, bool], sentences: Mapping[str, float]) -> str:
    def side(column: str) -> str:
        if column in sentences:
            return f"p{{{sentences[column]:.1f}pt}}"
        return "r" if right[column] else "l"

    # \raggedright redefines \\.
    end = r" \tabularnewline" if sentences else r" \\"
    heads = []
    for column in part.columns:
        words = " \\\\ ".join(map(escape, column.split()))
        place = "r" if right[column] else "l"
        heads.append(rf"\shortstack[{place}]{{{words}}}" if " " in column else escape(column))
    sides = "".join(map(side, part.columns))
    lines = [rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}", r"\toprule", " & ".join(heads) + end]
    before = None
    for line in part.itertuples(index=False):
        # A bracket or star after the end of a line would be read as an argument of it.
        texts = [
            # A long name in a sentence may be broken at its underscores.
            escape(c).replace(r"\_", r"\_\allowbreak{}") if column in sentences else escape(c)
            for column, c in zip(part.columns, line, strict=True)
        ]
        cells = [f"{{}}{c}" if c.startswith(("[", "*")) else c for c in texts]
        # A name is not repeated on the lines below it.
        if not right[part.columns[0]]:
            new, before = line[0] != before, line[0]
            lines += [r"\midrule"] if new else []
            cells[0] = cells[0] if new else ""
        elif len(lines) == 3:
            lines.append(r"\midrule")
        for n, column in enumerate(part.columns):
            if column in sentences:
                cells[n] = rf"\raggedright {cells[n]}"
        lines.append(" & ".join(cells) + end)
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _minipage(notes: Sequence[str]) -> list[str]:
    """Notes in a box as wide as the float."""
    lines = [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\scriptsize\raggedright"]
    return [*lines, *(rf"{escape(note)}\par" for note in notes), r"\end{minipage}"]
