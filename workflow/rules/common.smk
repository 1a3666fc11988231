import json
import sys
from pathlib import Path

import baselines
from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu
from harness.bench import key_of, row_path
from harness.cell import Cell
from harness.config import batch_counts, cells, estimate_s, validate
from harness.environment import source_files
from plots.contents import compared
from plots.devices import file_name
from plots.rows import FEWEST_BATCHES

OUT = "results"
validate(dict(config))
CELLS = {key_of(cell): cell for cell in cells(config)}
SYSTEMS = sorted({f"{s}/{v}" for cell in CELLS.values() for s, v in cell.systems})
# DyNet's native build, if a variant of it is measured; if it fails, its rows say so.
NATIVE = any(s.startswith("dynet/autobatch") for s in SYSTEMS)
SOURCES = sorted({str(p) for s in config["systems"] for p in source_files(s)})
DEVICE = config["device"]


def table(name: str) -> list[str]:
    """The files of a table of the configuration's device."""
    return multiext(f"{OUT}/tables/{file_name(name, DEVICE)}", ".csv", ".md", ".tex")


def figure(name: str) -> list[str]:
    """The files of a figure of the configuration's device."""
    return multiext(f"{OUT}/figures/{file_name(name, DEVICE)}", ".pdf", ".svg", ".png")


# What shows acrobat beside a system that is measured.
COMPARED = compared({s.split("/")[0] for s in SYSTEMS})
REPORT = [
    *(
        path
        for name in COMPARED
        for path in (figure if name[0] == "F" else table)(name)
    ),
    *table("T2_workloads"),
]
if "ladder" in config:
    REPORT += [*table("F2_ablation"), *figure("F2_ablation")]
# Whether there are curves over batch sizes.
CURVES = any(n >= FEWEST_BATCHES for n in batch_counts(CELLS.values()).values())
if CURVES:
    REPORT += [*table("F3_batches"), *figure("F3_batches")]
# F6_energy.* is written too where energy can be read, which only measuring tells.


def shown(name: str) -> list[str]:
    """What `snakemake --report` shows of a table (its CSV) or figure (its SVG), if it is made."""
    suffix = ".svg" if name.startswith("F") else ".csv"
    return [p for p in REPORT if Path(p).name.startswith(name) and p.endswith(suffix)]


NAMES = ["T3_dynet", "T4_cortex", "T5_pytorch", "F1_speedup", "F3_batches"]
SHOWN = [path for name in NAMES for path in shown(name)]


def name_of(cell: Cell) -> str:
    """The cell in the names of its rule and log."""
    return f"{cell.workload}_{cell.size}_bs{cell.batch}_t{cell.threads}"


def dynet_device() -> str:
    """What DyNet's build is told of the device; nothing without a GPU, as rows will say too."""
    try:
        return f"--cuda sm_{find_gpu().arch}" if DEVICE == "cuda" else ""
    except DeviceError:
        return ""


def rows_of(cell: Cell) -> list[str]:
    """The files of the rows that measuring `cell` writes."""
    raw = Path(OUT) / "raw"
    return [str(row_path(cell, *system, raw)) for system in cell.systems]


def all_rows() -> list[str]:
    """The files of all rows of the configuration."""
    return [row for cell in CELLS.values() for row in rows_of(cell)]
