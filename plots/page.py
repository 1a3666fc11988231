"""The page of a report: claims, figures, and all rows in a table that can be sorted and filtered.

A single file that loads nothing from the network. The table uses DataTables through `itables`; the
page itself is a template (`page.html.jinja`).
"""

from __future__ import annotations

import base64
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .cells import by_cell, doubt
from .devices import device_title
from .rows import CELL, limits, outcomes, valid

_NEEDED = ("itables", "jinja2")
# Columns with a filter in which values can be selected.
_CHOSEN = ("workload", "size", "batch", "threads", "system", "outcome")
_ROWS_SHOWN = 25
# Shows an empty cell for NaN.
_SHOWN = "function (value, kind) { return Number.isNaN(value) && kind === 'display' ? '' : value }"


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the page: its code, caption and SVG file."""

    code: str
    caption: str
    path: Path

    @property
    def source(self) -> str:
        """The figure as a data URL."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.path.read_bytes()).decode()


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the page about one device and mode (inference or training steps): its rows, its
    tables as (code, caption, HTML), and its figures."""

    rows: pd.DataFrame
    tables: Sequence[tuple[str, str, str]]
    pictures: Sequence[Picture]

    @property
    def title(self) -> str:
        end = ", training" if self.mode == "train" else ""
        return device_title(self.rows) + end

    @property
    def mode(self) -> str:
        """The mode of its rows: "inference" or "train"."""
        return str(self.rows["mode"].iloc[0])

    @property
    def claims(self) -> str:
        """Table T9 as HTML, or "" if it is missing."""
        return next((html for code, _, html in self.tables if code == "T9"), "")

    @property
    def others(self) -> list[tuple[str, str, str]]:
        """The tables except T9."""
        return [table for table in self.tables if table[0] != "T9"]

    @property
    def all_rows(self) -> str:
        """The rows as an interactive table."""
        import itables

        table = rows_table(self.rows)
        chosen = [n for n, name in enumerate(table.columns) if name in _CHOSEN]
        html: str = itables.to_html_datatable(
            table,
            connected=False,
            table_id=f"rows-{self.rows['device'].iloc[0]}" + "-train" * (self.mode == "train"),
            classes="display compact",
            style="width:100%",
            maxBytes=0,
            pageLength=_ROWS_SHOWN,
            showIndex=False,
            columnDefs=[{"targets": "_all", "render": itables.JavascriptFunction(_SHOWN)}],
            layout={"top1": "searchPanes"},
            searchPanes={"columns": chosen, "layout": "columns-6", "threshold": 1},
        )
        return html


def missing_packages() -> list[str]:
    """The packages that the page needs and that are not installed; a GPU machine without a network
    may lack them."""
    return [name for name in _NEEDED if importlib.util.find_spec(name) is None]


def rows_table(rows: pd.DataFrame) -> pd.DataFrame:
    """All rows of a device: what was measured, the median, its ratio to that of the cell's best
    system, the error, and why there is no time or the time may be unstable."""
    found = rows.assign(valid=valid(rows), outcome=outcomes(rows))
    contenders = found[found["valid"] & ~found["system"].isin(limits())]
    cell = [*CELL, "optimiser"]
    best = contenders.groupby(cell, observed=True)["median_ms"].min().to_dict()
    lines = []
    for _, row in found.iterrows():
        least = best.get(tuple(row[c] for c in cell))
        ms = row["median_ms"] if row["valid"] else None
        lines.append(
            {
                "workload": row["workload"],
                "size": str(row["model_size"]),
                "batch": row["batch_size"],
                "threads": row["threads"],
                **({"optimiser": row["optimiser"]} if row["optimiser"] else {}),
                "system": row["system"],
                "variant": row["variant"],
                "outcome": row["outcome"],
                "median ms": None if ms is None else round(ms, 4),
                "/ best": None if ms is None or not least else round(ms / least, 2),
                "error": _two_digits(_error(row)),
                "why": row["reason"] or doubt(row),
            }
        )
    return pd.DataFrame(lines)


def _error(row: pd.Series) -> float | None:
    """The largest difference from the reference, which is relative for a training step."""
    absolute: float | None = row["max_abs_err"]
    return row.get("max_rel_err") if absolute is None or pd.isna(absolute) else absolute


def _two_digits(number: float | None) -> float | None:
    return None if number is None or pd.isna(number) else float(f"{number:.1e}")


def write_page(sections: Sequence[Section], path: Path, name: str) -> Path:
    """Write the page to `path`; `name` is its title."""
    import itables.options
    import jinja2
    from itables.javascript import generate_init_offline_itables_html

    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, autoescape=True)
    template = environment.get_template("page.html.jinja")
    cells = sum(len(by_cell(section.rows)) for section in sections)
    library = generate_init_offline_itables_html(itables.options.dt_bundle)
    text = template.render(sections=sections, name=name, cells=cells, library=library)
    path.write_text(text, encoding="utf-8")
    return path
