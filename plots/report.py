"""All tables and figures from a folder of rows, for each device apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from .ablation import ablation_figure, ablation_table, ladder_rows
from .batches import batch_figure, batch_rows, batch_table
from .captions import caption
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


def write_report(rows: Path, out: Path, say: Callable[[str], object] = print) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files. `say` is told what there
    are no rows for."""
    files: list[Path] = []
    for device, part in by_device(load_rows(rows)):
        files += _Report(device, part, out).write(say)
    return files


class _Report:
    """The files of one device's rows."""

    def __init__(self, device: str, rows: pd.DataFrame, out: Path) -> None:
        self.device, self.rows, self.out = device, rows, out

    def write(self, say: Callable[[str], object]) -> list[Path]:
        rows = self.rows
        files = [
            *self.table("T3_dynet", dynet_table(rows), mean_speedups(rows, {"dynet": "DyNet"})),
            *self.table(
                "T4_cortex",
                cortex_table(rows),
                mean_speedups(rows, {"cortex": "the Cortex-like compiler"}),
            ),
            *self.table(
                "T5_pytorch",
                pytorch_table(rows),
                mean_speedups(
                    rows, {name: f"PyTorch ({title})" for name, title in PYTORCH.items()}
                ),
            ),
            *write_figure(speedup_figure(rows), self.stem("figures", "F1_speedup")),
            *self.table("T2_workloads", workload_table(rows)),
        ]
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

    def table(self, name: str, table: pd.DataFrame, remarks: Sequence[str] = ()) -> list[Path]:
        text = caption(name[:2], device_title(self.rows))
        return write_table(table, self.stem("tables", name), text, remarks)

    def stem(self, folder: str, name: str) -> Path:
        return self.out / folder / file_name(name, self.device)
