"""Figures as files, along with LaTeX floats that include them with a caption."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from . import style
from .latex import escape
from .write import write_figure


def write_figures(figures: Sequence[Figure], stem: Path, caption: str) -> list[Path]:
    """Write each figure as PDF, SVG and PNG, and a LaTeX float to be read with `\\input`. If there
    are several, because one would be taller than a page, the second's name ends with "-2"."""
    paths: list[Path] = []
    name, dot, device = stem.name.partition(".")
    for n, figure in enumerate(figures, 1):
        number = f"-{n}" if n > 1 else ""
        there = stem.with_name(f"{name}{number}{dot}{device}")
        paths += write_figure(figure, there)
        more = f" (page {n} of {len(figures)})" if len(figures) > 1 else ""
        paths.append(there.with_name(there.name + ".tex"))
        paths[-1].write_text(_float(figure, there.name, caption + more), encoding="utf-8")
    return paths


def _float(figure: Figure, name: str, caption: str) -> str:
    wide = "*" if figure.get_figwidth() > style.COLUMN else ""
    return (
        "% \\usepackage{graphicx}, with \\graphicspath to the folder of this file\n"
        f"\\begin{{figure{wide}}}\n\\centering\n"
        f"\\includegraphics{{{name}.pdf}}\n"
        f"\\caption{{{escape(caption)}}}\n\\label{{fig:{name}}}\n"
        f"\\end{{figure{wide}}}\n"
    )
