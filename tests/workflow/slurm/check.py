"""Checks what run.sh leaves: `check.py RESULTS JOBS`, with Slurm's file of ended jobs."""

from __future__ import annotations

import itertools
import os
import platform
import sys
from pathlib import Path

from harness.row_file import read_row

CELLS = {f"bs{b}.t{t}" for b in (2, 3) for t in ("1", "all")}


def main(results: Path, jobs: Path) -> None:
    """AssertionError for what is not as it should be."""
    rows = {
        p.parents[1].name: read_row(p) for p in results.glob("raw/cpu/treelstm/tiny/*/*/*.json")
    }
    assert set(rows) == CELLS, f"cells: {', '.join(rows)}"
    cores = os.cpu_count()
    for name, row in rows.items():
        assert row.status == "ok", f"{name}: {row.status}, {row.reason}"
        # It ran where it says; "all" was resolved where the cell ran: all of the node.
        assert row.host and row.host["name"] == platform.node(), f"{name}: host {row.host}"
        want = cores if name.endswith("all") else 1
        assert row.threads == want, f"{name}: {row.threads} threads, not {want}"
    assert (results / "tables" / "T5_pytorch.md").exists()
    lines = [
        dict(field.split("=", 1) for field in line.split() if "=" in field)
        for line in jobs.read_text().splitlines()
    ]
    # The whole node for each cell; the report took a core.
    taken = sorted(int(job["ProcCnt"]) for job in lines)
    assert taken == sorted([1, *[cores or 0] * len(CELLS)]), f"cores by job: {taken}"
    assert {job["JobState"] for job in lines} == {"COMPLETED"}
    spans = sorted((job["StartTime"], job["EndTime"]) for job in lines)
    for (_, end), (start, _) in itertools.pairwise(spans):
        assert end <= start, f"a job began at {start}, another one ended at {end}"
    print(f"slurm: {len(rows)} cells, one after the other, {cores} cores each")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
