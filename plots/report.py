"""All tables and figures from a folder of rows, for each device apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from harness.summary import summary_lines

from . import activities
from .ablation import ablation_figures, ablation_table
from .batches import batch_figures, batch_rows, batch_table
from .breakdown import breakdown_figures
from .captions import caption, figure_caption
from .contents import COMPARED, compared
from .devices import by_device, device_title, file_name
from .energy import energy_figures, energy_rows, energy_table
from .floats import write_figures
from .ladder import ladder_rows
from .machines import machines
from .means import mean_speedups
from .rows import CELL, FEWEST_BATCHES, load_rows, outcomes, threads_used
from .speedup import speedup_figures
from .tables import (
    PYTORCH,
    cortex_table,
    dynet_table,
    headline,
    pytorch_table,
    variants,
    workload_table,
)
from .write import write_table


def write_report(
    rows: Path | Sequence[Path], out: Path, say: Callable[[str], object] = print
) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files. `rows` is a folder, or
    several. `say` is told what there are no rows for, which rows failed, and how many may be
    unstable; these are in the table `unstable`."""
    files: list[Path] = []
    folders = [rows] if isinstance(rows, Path) else rows
    for device, part in by_device(load_rows(*folders)):
        files += _Report(device, part, out).write(say)
    return files


class _Report:
    """The files of one device's rows."""

    def __init__(self, device: str, rows: pd.DataFrame, out: Path) -> None:
        self.device, self.rows, self.out = device, rows, out

    def write(self, say: Callable[[str], object]) -> list[Path]:
        rows = self.rows
        files = [path for name in compared(set(rows["system"])) for path in self.comparison(name)]
        for name, others in COMPARED.items():
            if not set(others) & set(rows["system"]):
                say(f"{self.device}: no {name[:2]}, for there are no rows of {', '.join(others)}")
        files += self.table("T2_workloads", workload_table(rows))
        if len(ladder_rows(rows)):
            files += self.table("F2_ablation", ablation_table(rows))
            files += self.figures("F2_ablation", ablation_figures(rows))
        if activities.activity_cells(rows):
            table = activities.activity_table(rows)
            shown, remarks = activities.headline(table), activities.unusual(table)
            files += self.table("T6_activities", table, remarks, shown)
            files += self.figures("F4_activities", breakdown_figures(rows))
        else:
            of = ", ".join(activities.SYSTEMS)
            say(f"{self.device}: no T6 and F4, for no row of {of} has activities")
        if len(batch_rows(rows)):
            files += self.table("F3_batches", batch_table(rows))
            files += self.figures("F3_batches", batch_figures(rows))
        else:
            say(f"{self.device}: no F3, for nothing was measured at {FEWEST_BATCHES} batch sizes")
        if len(energy_rows(rows)):
            files += self.table("F6_energy", energy_table(rows))
            files += self.figures("F6_energy", energy_figures(rows))
        else:
            say(f"{self.device}: no F6, for no row has energy_j (no counter that can be read)")
        return files + self.summary(say)

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

    def comparison(self, name: str) -> list[Path]:
        rows = self.rows
        match name:
            case "T3_dynet":
                return self.both(name, dynet_table(rows), {"dynet": "DyNet"})
            case "T4_cortex":
                return self.both(name, cortex_table(rows), {"cortex": "the Cortex-like compiler"})
            case "T5_pytorch":
                titles = {system: f"PyTorch ({title})" for system, title in PYTORCH.items()}
                return self.both(name, pytorch_table(rows), titles)
            case _:
                return self.figures(name, speedup_figures(rows))

    def both(self, name: str, table: pd.DataFrame, opponents: dict[str, str]) -> list[Path]:
        """The headline of a table, whose CSV has everything, and the variants beside it."""
        threads = [
            f"{title} runs on {used} thread{'' if used == 1 else 's'}, whatever a cell allows."
            for system, title in opponents.items()
            if (used := threads_used(self.rows, system)) is not None
        ]
        remarks = [*threads, *mean_speedups(self.rows, opponents)]
        files = self.table(name, table, remarks, headline(table))
        if more := variants(table):
            files += self.table(f"{name}_variants", table[more], threads)
        return files

    def table(
        self,
        name: str,
        table: pd.DataFrame,
        remarks: Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> list[Path]:
        text = caption(name[:2], device_title(self.rows), name.endswith("_variants"))
        below = [*remarks, *machines(self.rows)]
        return write_table(table, self.stem("tables", name), text, below, columns)

    def figures(self, name: str, figures: Sequence[Figure]) -> list[Path]:
        text = figure_caption(name[:2], device_title(self.rows))
        return write_figures(figures, self.stem("figures", name), text)

    def stem(self, folder: str, name: str) -> Path:
        return self.out / folder / file_name(name, self.device)
