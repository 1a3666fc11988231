"""A summary of the measurements as a short table, and an archive of all results."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import baselines
from harness.bench import key_of, row_path
from harness.cell import Cell
from harness.row import Row
from harness.row_file import DamagedRow, read_row

from .budget import Outcome


def write_summary(cells: Sequence[Cell], out: Path, outcomes: Iterable[Outcome]) -> None:
    """Write `out`/summary.md."""
    damaged: list[DamagedRow] = []
    rows_of(cells, out / "raw", damaged)
    lines = [*table(cells, out / "raw"), "", *failures(outcomes)]
    lines += [f"damaged: {row}" for row in damaged]
    (out / "summary.md").write_text("\n".join(lines) + "\n")


def archive(out: Path, path: Path) -> None:
    """Write the folder as a tar.gz file, which is complete at every moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}")
    with tarfile.open(new, "w:gz") as tar:
        tar.add(out, arcname=".")
    new.replace(path)


def rows_of(
    cells: Iterable[Cell], raw: Path, damaged: list[DamagedRow] | None = None
) -> dict[str, list[Row]]:
    """The existing rows, by cell; files that are not rows are added to `damaged`."""
    found: dict[str, list[Row]] = {}
    for cell in cells:
        rows = found.setdefault(key_of(cell), [])
        for system, variant in cell.systems:
            try:
                rows.append(read_row(row_path(cell, system, variant, raw)))
            except FileNotFoundError:
                continue
            except DamagedRow as error:
                if damaged is not None:
                    damaged.append(error)
    return found


def table(cells: Sequence[Cell], raw: Path) -> list[str]:
    """A line per cell with rows: the median in milliseconds of each system's best variant (for the
    floor the larger limit), or the reason why there is none; then the cells without rows."""
    rows = rows_of(cells, raw)
    systems = list(dict.fromkeys(s for cell in cells for s, _ in cell.systems))
    lines = ["| cell | " + " | ".join(systems) + " |", "|---" * (len(systems) + 1) + "|"]
    for key, found in rows.items():
        if found:
            parts = [_best([r for r in found if r.system == s]) for s in systems]
            lines.append(f"| {key} | " + " | ".join(parts) + " |")
    left = [key for key, found in rows.items() if not found]
    if left:
        lines += ["", f"not measured: {', '.join(left)}"]
    return lines


def failures(outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each step that failed or timed out."""
    return [
        f"{o.name}: {o.status}, {o.detail}" for o in outcomes if o.status in ("failed", "timeout")
    ]


def _best(rows: list[Row]) -> str:
    good = [r.median_ms for r in rows if r.median_ms is not None and r.right]
    if good:
        # The largest of several lower limits is the tightest.
        holds = max if baselines.record(rows[0].system).is_limit else min
        return f"{holds(good):.3g}"
    if any(r.status == "ok" for r in rows):
        return "wrong"
    return rows[0].status if rows else "-"
