import json
import sys
from pathlib import Path

import baselines
from harness.bench import key_of
from harness.cell import Cell
from harness.config import cells, estimate_s, validate
from harness.environment import source_files

OUT = "results"
validate(dict(config))
CELLS = {key_of(cell): cell for cell in cells(config)}
SYSTEMS = sorted({f"{s}/{v}" for cell in CELLS.values() for s, v in cell.systems})
ROW = f"{OUT}/raw/{{device}}/{{workload}}/{{size}}/%s/bs{{batch}}.t{{threads}}.json"
ROW_PATTERNS = [ROW % system for system in SYSTEMS]
# DyNet's native build, if a variant of it is measured; if it fails, its rows say so.
NATIVE = any(s.startswith("dynet/autobatch") for s in SYSTEMS)
SOURCES = sorted({str(p) for s in config["systems"] for p in source_files(s)})
REPORT = [
    *multiext(f"{OUT}/tables/T3_dynet", ".csv", ".md", ".tex"),
    *multiext(f"{OUT}/tables/T4_cortex", ".csv", ".md", ".tex"),
    *multiext(f"{OUT}/tables/T5_pytorch", ".csv", ".md", ".tex"),
    *multiext(f"{OUT}/figures/F1_speedup", ".pdf", ".svg", ".png"),
    *multiext(f"{OUT}/tables/T2_workloads", ".csv", ".md", ".tex"),
]
if "ladder" in config:
    REPORT += [
        *multiext(f"{OUT}/tables/F2_ablation", ".csv", ".md", ".tex"),
        *multiext(f"{OUT}/figures/F2_ablation", ".pdf", ".svg", ".png"),
    ]


def rows_of(cell: Cell) -> list[str]:
    """The files of the rows that measuring `cell` writes."""
    return expand(
        ROW_PATTERNS,
        device=cell.device,
        workload=cell.workload,
        size=cell.size,
        batch=cell.batch,
        threads=cell.threads,
    )


def all_rows() -> list[str]:
    """The files of all rows of the configuration."""
    return [row for cell in CELLS.values() for row in rows_of(cell)]
