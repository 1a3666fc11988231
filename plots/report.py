"""All tables and figures from a folder of rows, separately for each device."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

import baselines
from harness.row import MODES
from harness.row_file import DamagedRow
from harness.summary import summary_lines

from .content import Content, Table
from .devices import by_device, device_title, file_name, of_mode
from .floats import write_figures
from .machines import machines
from .page import Picture, Section, missing_packages, write_page
from .rows import CELL, load_rows, outcomes
from .shown import SHOWN, Shown
from .studies import of_study
from .write import table_part, write_table


def write_report(
    rows: Path | Sequence[Path], out: Path, say: Callable[[str], object] = print
) -> list[Path]:
    """Write all tables and figures below `out`/tables and `out`/figures; return the files. `rows`
    is a folder or several. `say` is told which tables lack rows, which rows failed, and how many
    may be unstable; the latter are listed in the table `unstable`. Files that are not rows are
    listed in the table `damaged` and mentioned below each table."""
    files: list[Path] = []
    damaged: list[DamagedRow] = []
    folders = [rows] if isinstance(rows, Path) else rows
    found = load_rows(*folders, damaged=damaged)
    # The pipeline expects both folders, even if there is nothing to draw.
    for folder in ("tables", "figures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    remarks = _name_damaged(damaged, out / "tables" / "damaged.csv", files, say)
    sections = []
    for device, of_device in by_device(found):
        for mode in MODES:
            part = of_mode(of_device, mode)
            if len(part):
                report = _Report(device, mode, part, out, remarks)
                files += report.write(say)
                sections.append(Section(part, report.pages, report.pictures))
    return [*files, *_write_page(sections, out, say)]


def _write_page(sections: Sequence[Section], out: Path, say: Callable[[str], object]) -> list[Path]:
    lacking = missing_packages()
    if lacking:
        say(f"no index.html, for there is no {' and no '.join(lacking)}: pip install '.[bench]'")
        return []
    return [write_page(sections, out / "index.html", out.resolve().name)]


def _name_damaged(
    damaged: Sequence[DamagedRow], path: Path, files: list[Path], say: Callable[[str], object]
) -> list[str]:
    """The remark for every table, if any files are damaged; the table `damaged` is added to
    `files`."""
    path.unlink(missing_ok=True)
    if not damaged:
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    for row in damaged:
        say(f"damaged: {row}")
    pd.DataFrame({"file": [str(r.path) for r in damaged], "why": [r.why for r in damaged]}).to_csv(
        path, index=False
    )
    files.append(path)
    many = f"{len(damaged)} files are" if len(damaged) > 1 else "One file is"
    return [f"{many} damaged, and not shown: {path.name}."]


class _Report:
    """The report on one device's rows of inference or of training steps."""

    def __init__(
        self, device: str, mode: str, rows: pd.DataFrame, out: Path, remarks: list[str]
    ) -> None:
        self.device, self.rows, self.out, self.remarks = device, rows, out, remarks
        self.mode = mode
        # For the page: tables as (code, caption, HTML), and figures.
        self.pages: list[tuple[str, str, str]] = []
        self.pictures: list[Picture] = []

    def write(self, say: Callable[[str], object]) -> list[Path]:
        files: list[Path] = []
        measured = set(self.rows["system"])
        for name in sorted(measured - set(baselines.names())):
            count = int((self.rows["system"] == name).sum())
            what = f"{count} row{'s' * (count > 1)} of {name!r} {'are' if count > 1 else 'is'}"
            say(f"{self.device}: {what} not shown, for there is no such system here")
        for shown in (s for s in SHOWN if s.mode == self.mode):
            rows = of_study(self.rows, shown.study)
            if shown.study and rows.empty:  # measured by another configuration
                continue
            if shown.families and not set(rows["system"]) & set(shown.systems):
                of = ", ".join(shown.systems)
                say(f"{self.device}: no {shown.code}, for there are no rows of {of}")
                continue
            content = self.content(shown, rows)
            files += [path for table in content.tables for path in self.table(shown, table)]
            if content.figures:
                caption = self.caption(shown.caption, shown.signs)
                made = write_figures(content.figures, self.stem("figures", shown.file), caption)
                svgs = (path for path in made if path.suffix == ".svg")
                self.pictures += [Picture(shown.code, caption, path) for path in svgs]
                files += made
            if shown.lacking and not content.tables and not content.figures:
                say(f"{self.device}: no {shown.code}, for {shown.lacking}")
        return files + self.summary(say)

    def content(self, shown: Shown, rows: pd.DataFrame) -> Content:
        if rows.empty:
            return Content()
        found = pkgutil.resolve_name(shown.build)(rows, shown)
        assert isinstance(found, Content), shown.build
        # A table may have no lines, if the rows lack what it shows.
        return replace(found, tables=[t for t in found.tables if len(t.frame)])

    def table(self, shown: Shown, table: Table) -> list[Path]:
        text = f"{shown.code}. {self.caption(shown.caption, table.more)}"
        below = [*table.remarks, *machines(self.rows), *self.remarks]
        stem = self.stem("tables", shown.file + table.suffix)
        about = self.caption(shown.caption, table.more)
        html = table_part(table.frame, below, table.columns)
        self.pages.append((shown.code, about, html))
        return write_table(table.frame, stem, text, below, table.columns)

    def caption(self, *texts: str) -> str:
        """The texts, followed by the device."""
        return " ".join([*filter(None, texts), f"{device_title(self.rows)}."])

    def summary(self, say: Callable[[str], object]) -> list[Path]:
        timed = self.rows[self.rows["median_ms"].notna()]
        doubts = [text if isinstance(text, str) else None for text in timed["doubt"]]
        for line in summary_lines(outcomes(self.rows), doubts):
            say(f"{self.device}: {line}")
        unstable = timed[list(map(bool, doubts))]
        if unstable.empty:
            return []
        path = self.stem("tables", "unstable" + "_train" * (self.mode == "train"))
        path = path.with_name(path.name + ".csv")
        columns = [*CELL, "system", "variant", "median_ms", "n_samples", "doubt"]
        unstable.to_csv(path, index=False, columns=columns)
        say(f"{self.device}: they are listed in {path}")
        return [path]

    def stem(self, folder: str, name: str) -> Path:
        return self.out / folder / file_name(name, self.device)
