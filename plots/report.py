"""All tables and figures from a folder of rows."""

from __future__ import annotations

from pathlib import Path

from .rows import load_rows
from .speedup import speedup_figure, write_figure
from .tables import dynet_table, pytorch_table, write_table


def write_report(rows: Path, out: Path) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files."""
    frame = load_rows(rows)
    return [
        *write_table(dynet_table(frame), out / "tables" / "T3_dynet"),
        *write_table(pytorch_table(frame), out / "tables" / "T5_pytorch"),
        *write_figure(speedup_figure(frame), out / "figures" / "F1_speedup"),
    ]
