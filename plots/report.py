"""All tables and figures from a folder of rows, for each device apart."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

import baselines
from harness.row_file import DamagedRow
from harness.summary import summary_lines

from .content import Content, Table
from .devices import by_device, device_title, file_name
from .floats import write_figures
from .machines import machines
from .rows import CELL, load_rows, outcomes
from .shown import SHOWN, Shown
from .write import write_table


def write_report(
    rows: Path | Sequence[Path], out: Path, say: Callable[[str], object] = print
) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files. `rows` is a folder, or
    several. `say` is told what there are no rows for, which rows failed, and how many may be
    unstable; these are in the table `unstable`. Files that are no rows are named, in the table
    `damaged` and in a line below each table."""
    files: list[Path] = []
    damaged: list[DamagedRow] = []
    folders = [rows] if isinstance(rows, Path) else rows
    found = load_rows(*folders, damaged=damaged)
    remarks = _name_damaged(damaged, out / "tables" / "damaged.csv", files, say)
    for device, part in by_device(found):
        files += _Report(device, part, out, remarks).write(say)
    return files


def _name_damaged(
    damaged: Sequence[DamagedRow], path: Path, files: list[Path], say: Callable[[str], object]
) -> list[str]:
    """The remark of every table, if there is any damage; its table is added to `files`."""
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
    """The files of one device's rows."""

    def __init__(self, device: str, rows: pd.DataFrame, out: Path, remarks: list[str]) -> None:
        self.device, self.rows, self.out, self.remarks = device, rows, out, remarks

    def write(self, say: Callable[[str], object]) -> list[Path]:
        files: list[Path] = []
        measured = set(self.rows["system"])
        for name in sorted(measured - set(baselines.names())):
            count = int((self.rows["system"] == name).sum())
            what = f"{count} row{'s' * (count > 1)} of {name!r} {'are' if count > 1 else 'is'}"
            say(f"{self.device}: {what} not shown, for there is no such system here")
        for shown in SHOWN:
            if shown.families and not measured & set(shown.systems):
                of = ", ".join(shown.systems)
                say(f"{self.device}: no {shown.code}, for there are no rows of {of}")
                continue
            content = self.content(shown)
            files += [path for table in content.tables for path in self.table(shown, table)]
            if content.figures:
                caption = self.caption(shown.caption, shown.signs)
                files += write_figures(content.figures, self.stem("figures", shown.file), caption)
            if shown.lacking and not content.tables and not content.figures:
                say(f"{self.device}: no {shown.code}, for {shown.lacking}")
        return files + self.summary(say)

    def content(self, shown: Shown) -> Content:
        found = pkgutil.resolve_name(shown.build)(self.rows, shown)
        assert isinstance(found, Content), shown.build
        return found

    def table(self, shown: Shown, table: Table) -> list[Path]:
        text = f"{shown.code}. {self.caption(shown.caption, table.more)}"
        below = [*table.remarks, *machines(self.rows), *self.remarks]
        stem = self.stem("tables", shown.file + table.suffix)
        return write_table(table.frame, stem, text, below, table.columns)

    def caption(self, *texts: str) -> str:
        """The texts, and the device."""
        return " ".join([*filter(None, texts), f"{device_title(self.rows)}."])

    def summary(self, say: Callable[[str], object]) -> list[Path]:
        timed = self.rows[self.rows["median_ms"].notna()]
        doubts = [text if isinstance(text, str) else None for text in timed["doubt"]]
        for line in summary_lines(outcomes(self.rows), doubts):
            say(f"{self.device}: {line}")
        unstable = timed[list(map(bool, doubts))]
        if unstable.empty:
            return []
        path = self.stem("tables", "unstable")
        path = path.with_name(path.name + ".csv")
        columns = [*CELL, "system", "variant", "median_ms", "n_samples", "doubt"]
        unstable.to_csv(path, index=False, columns=columns)
        say(f"{self.device}: they are listed in {path}")
        return [path]

    def stem(self, folder: str, name: str) -> Path:
        return self.out / folder / file_name(name, self.device)
