"""Tables T2 (workloads), T3 (ACRoBat against DyNet), T4 (a Cortex-like compiler), T5 (PyTorch).

A speed-up is the baseline's median over acrobat's, from the same cell (measured in the same
rounds). If either is missing or wrong there is none, and the cell shows the reason instead. Each
table has all columns, for CSV; `headline` names the ones most readers need, and `variants` those of
the table beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

import baselines

from .cells import by_cell, cell_columns, doubt, error, ratio, time, variant
from .content import Content, Table
from .means import mean_speedups
from .rows import best_variants, headline_variants, threads_used
from .shown import Shown

# The floor's variants: all products through the library, and as many empty launches.
FLOORS = {"full": "products", "launches": "launches"}

_CELL = ("workload", "size", "batch", "threads")
_FIRST = (*_CELL, "acrobat ms", "acrobat variant")


def build_workloads(rows: pd.DataFrame, shown: Shown) -> Content:
    """T2."""
    return Content([Table(workload_table(rows))])


def build_opponent(rows: pd.DataFrame, shown: Shown) -> Content:
    """A table of acrobat beside the only system of a family: T3, T4."""
    (system,) = shown.systems
    return _both(rows, opponent_table(rows, system), shown.systems)


def build_pytorch(rows: pd.DataFrame, shown: Shown) -> Content:
    """T5."""
    contenders = tuple(s for s in shown.systems if not baselines.record(s).is_limit)
    return _both(rows, pytorch_table(rows), contenders)


def _both(rows: pd.DataFrame, table: pd.DataFrame, opponents: Sequence[str]) -> Content:
    """A table that shows its headline (its CSV has everything), and a table of the variants."""
    names = {system: baselines.record(system).prose for system in opponents}
    threads = thread_remarks(rows, names)
    tables = [Table(table, [*threads, *mean_speedups(rows, names)], headline(table))]
    if more := variants(table):
        about = "Each variant, and what else was measured."
        tables.append(Table(table[more], threads, suffix="_variants", more=about))
    return Content(tables)


def thread_remarks(rows: pd.DataFrame, names: Mapping[str, str]) -> list[str]:
    """Remarks on the systems (name: title) that run on fewer threads than allowed."""
    return [
        f"{name} runs on {used} thread{'' if used == 1 else 's'}, whatever a cell allows."
        for system, name in names.items()
        if (used := threads_used(rows, system)) is not None
    ]


def headline(table: pd.DataFrame) -> list[str]:
    """The headline columns of T3, T4 and T5: the cell, acrobat's time, the opponent's best time and
    its variant, if there is only one opponent, and ratios."""
    shown = [*_FIRST, "speed-up", "floor of", "acrobat / floor"]
    for record in baselines.records().values():
        shown.append(f"speed-up over {record.title}")
        if "speed-up" in table.columns:
            shown += [f"{record.title} ms", f"{record.title} {record.variants_are}"]
    return [c for c in table.columns if c in shown]


def variants(table: pd.DataFrame) -> list[str]:
    """The columns of T3, T4 and T5 for the cell and for everything that the headline leaves out;
    empty if it leaves nothing out."""
    left_out = [c for c in table.columns if c not in (*headline(table), "doubt")]
    return [*_CELL, *left_out] if left_out else []


def opponent_table(rows: pd.DataFrame, system: str) -> pd.DataFrame:
    """acrobat's time, the best variant of `system` with its name, the speed-up, and every variant;
    or the reason if the system cannot run a workload. A line for each cell in which the system has
    rows."""
    opponent = baselines.record(system)
    title, kind = opponent.title, opponent.variants_are
    theirs = rows[rows["system"] == system]
    names = sorted(theirs["variant"].unique())
    by_variant = {v: by_cell(theirs[theirs["variant"] == v]) for v in names}
    acrobat_of = _Acrobat(rows)
    lines = []
    for cell, systems in by_cell(best_variants(rows)).items():
        if system not in systems:
            continue
        line = cell_columns(cell)
        ours, best = systems.get("acrobat"), systems[system]
        line |= acrobat_of.columns(ours)
        line[f"{title} ms"] = time(best)
        line[f"{title} {kind}"] = variant(best)
        line["speed-up"] = ratio(best, ours)
        line["max abs err"] = error(ours)
        line |= acrobat_of.variants(cell)
        for v in names:
            line[f"{v} ms"] = time(by_variant[v].get(cell, {}).get(system))
        line["doubt"] = _doubts({"acrobat": ours, title: best})
        lines.append(line)
    return pd.DataFrame(lines)


def _doubts(systems: dict[str, pd.Series | None]) -> str:
    """Why the times of a line may be unstable: "acrobat: ...; DyNet: ..."."""
    found = {name: doubt(row) for name, row in systems.items() if row is not None and row["valid"]}
    return "; ".join(f"{name}: {text}" for name, text in found.items() if text)


class _Acrobat:
    """The columns of our own system: if several ways to run were measured, the best one is named,
    and all are shown."""

    def __init__(self, rows: pd.DataFrame) -> None:
        ours = rows[rows["system"] == "acrobat"]
        names = headline_variants(rows)
        self.by_variant = (
            {v: by_cell(ours[ours["variant"] == v]) for v in names} if len(names) > 1 else {}
        )

    def columns(self, best: pd.Series | None) -> dict[str, object]:
        line: dict[str, object] = {"acrobat ms": time(best)}
        if self.by_variant:
            line["acrobat variant"] = variant(best)
        return line

    def variants(self, cell: tuple[object, ...]) -> dict[str, object]:
        return {
            f"acrobat {v} ms": time(cells.get(cell, {}).get("acrobat"))
            for v, cells in self.by_variant.items()
        }


def pytorch_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T5: acrobat, PyTorch as first written, as batched by an expert, and the latter compiled, and
    the floor; on a GPU the larger of its two limits, with its name, and both limits. A line for
    each cell in which a PyTorch system or the floor has rows."""
    acrobat_of = _Acrobat(rows)
    floors = rows[rows["system"] == "floor"]
    # On a CPU there is only one limit.
    both = "launches" in set(floors["variant"])
    by_floor = {v: by_cell(floors[floors["variant"] == v]) for v in FLOORS}
    there = set(rows["system"])
    measured = {
        name: record.title
        for name, record in baselines.records().items()
        if name in there and record.family == "PyTorch" and not record.is_limit
    }
    several = {name for name in measured if rows[rows["system"] == name]["variant"].nunique() > 1}
    lines = []
    for cell, systems in by_cell(best_variants(rows)).items():
        if not {*measured, "floor"} & set(systems):
            continue
        line = cell_columns(cell)
        ours, floor = systems.get("acrobat"), systems.get("floor")
        line |= acrobat_of.columns(ours)
        for name, title in measured.items():
            line[f"{title} ms"] = time(systems.get(name))
            if name in several:
                line[f"{title} variant"] = variant(systems.get(name))
            line[f"speed-up over {title}"] = ratio(systems.get(name), ours)
        line["floor ms"] = time(floor)
        if both:
            line["floor of"] = FLOORS.get(variant(floor), "")
        line["acrobat / floor"] = ratio(ours, floor)
        if both:
            for v, title in FLOORS.items():
                line[f"{title} ms"] = time(by_floor[v].get(cell, {}).get("floor"))
        line |= acrobat_of.variants(cell)
        others = {title: systems.get(name) for name, title in measured.items()}
        line["doubt"] = _doubts({"acrobat": ours, **others, "floor": floor})
        lines.append(line)
    return pd.DataFrame(lines)


def workload_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T2: the composition of each workload with the default options: nodes, batches beside their
    lower bound, kernel calls, synchronisations, error, and the time beside PyTorch's."""
    default = rows[(rows["system"] != "acrobat") | (rows["variant"] == "full")]
    lines = []
    for cell, systems in by_cell(best_variants(default)).items():
        ours, eager = systems.get("acrobat"), systems.get("torch_eager")
        line = cell_columns(cell)
        names = {"n_nodes": "nodes", "n_batches": "batches", "min_batches": "least batches"}
        names |= {"n_kernel_calls": "kernel calls", "n_syncs": "waits"}
        for column, title in names.items():
            known = ours is not None and column in ours and not pd.isna(ours[column])
            line[title] = int(ours[column]) if known else "-"  # type: ignore[index]
        line["max abs err"] = error(ours)
        line["acrobat ms"] = time(ours)
        line["eager ms"] = time(eager)
        line["speed-up over eager"] = ratio(eager, ours)
        lines.append(line)
    return pd.DataFrame(lines)
