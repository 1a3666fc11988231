"""All tables and figures from a folder of rows."""

from __future__ import annotations

from pathlib import Path

from .ablation import ablation_figure, ablation_table, ladder_rows
from .rows import load_rows
from .speedup import speedup_figure, write_figure
from .tables import cortex_table, dynet_table, pytorch_table, workload_table, write_table


def write_report(rows: Path, out: Path) -> list[Path]:
    """Write them below `out`/tables and `out`/figures; returns the files."""
    frame = load_rows(rows)
    files = [
        *write_table(dynet_table(frame), out / "tables" / "T3_dynet"),
        *write_table(cortex_table(frame), out / "tables" / "T4_cortex"),
        *write_table(pytorch_table(frame), out / "tables" / "T5_pytorch"),
        *write_figure(speedup_figure(frame), out / "figures" / "F1_speedup"),
        *write_table(workload_table(frame), out / "tables" / "T2_workloads"),
    ]
    if len(ladder_rows(frame)):
        files += write_table(ablation_table(frame), out / "tables" / "F2_ablation")
        files += write_figure(ablation_figure(frame), out / "figures" / "F2_ablation")
    return files
