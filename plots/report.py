"""All tables and figures from a folder of rows, for each device apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from .ablation import ablation_figure, ablation_table, ladder_rows
from .batches import batch_figure, batch_rows, batch_table
from .captions import caption
from .contents import COMPARED, compared
from .devices import by_device, device_title, file_name
from .energy import energy_figure, energy_rows, energy_table
from .rows import FEWEST_BATCHES, load_rows
from .speedup import speedup_figure
from .tables import (
    PYTORCH,
    cortex_table,
    dynet_table,
    mean_speedups,
    pytorch_table,
    workload_table,
)
from .write import write_figure, write_table


def write_report(
    rows: Path | Sequence[Path], out: Path, say: Callable[[str], object] = print
) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files. `rows` is a folder, or
    several. `say` is told what there are no rows for."""
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
            files += write_figure(ablation_figure(rows), self.stem("figures", "F2_ablation"))
        if len(batch_rows(rows)):
            files += self.table("F3_batches", batch_table(rows))
            files += write_figure(batch_figure(rows), self.stem("figures", "F3_batches"))
        else:
            say(f"{self.device}: no F3, for nothing was measured at {FEWEST_BATCHES} batch sizes")
        if len(energy_rows(rows)):
            files += self.table("F6_energy", energy_table(rows))
            files += write_figure(energy_figure(rows), self.stem("figures", "F6_energy"))
        else:
            say(f"{self.device}: no F6, for no row has energy_j (no counter that can be read)")
        return files

    def comparison(self, name: str) -> list[Path]:
        rows = self.rows
        match name:
            case "T3_dynet":
                return self.table(name, dynet_table(rows), mean_speedups(rows, {"dynet": "DyNet"}))
            case "T4_cortex":
                means = mean_speedups(rows, {"cortex": "the Cortex-like compiler"})
                return self.table(name, cortex_table(rows), means)
            case "T5_pytorch":
                titles = {system: f"PyTorch ({title})" for system, title in PYTORCH.items()}
                return self.table(name, pytorch_table(rows), mean_speedups(rows, titles))
            case _:
                return write_figure(speedup_figure(rows), self.stem("figures", name))

    def table(self, name: str, table: pd.DataFrame, remarks: Sequence[str] = ()) -> list[Path]:
        text = caption(name[:2], device_title(self.rows))
        return write_table(table, self.stem("tables", name), text, remarks)

    def stem(self, folder: str, name: str) -> Path:
        return self.out / folder / file_name(name, self.device)
