"""Tables T3 (ACRoBat against DyNet), T4 (a Cortex-like compiler), T5 (PyTorch), as DataFrames.

A speed-up is the opponent's median over acrobat's, from the same cell (measured in the same
rounds). Where either is missing or wrong there is none, and the cell shows the reason instead.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from .rows import CELL, best_variants, valid

# The systems of T5, and what its columns call them.
PYTORCH = {"torch_eager": "eager", "torch_batched": "expert", "torch_compile": "compiled"}


def dynet_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T3: acrobat, DyNet's best strategy by name, the speed-up, and every strategy."""
    return _against(rows, "dynet", "DyNet", "strategy")


def cortex_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T4: acrobat, the Cortex-like compiler's best schedule by name, the speed-up, and every
    schedule; where it cannot express a workload, the reason."""
    return _against(rows, "cortex", "Cortex-like", "schedule")


def _against(rows: pd.DataFrame, system: str, title: str, kind: str) -> pd.DataFrame:
    """acrobat beside a system with several variants, each a `kind`."""
    theirs = rows[rows["system"] == system]
    variants = sorted(theirs["variant"].unique())
    by_variant = {v: _by_cell(theirs[theirs["variant"] == v]) for v in variants}
    lines = []
    for cell, systems in _by_cell(best_variants(rows)).items():
        line = _cell_columns(cell)
        ours, best = systems.get("acrobat"), systems.get(system)
        line["acrobat ms"] = _time(ours)
        line[f"{title} ms"] = _time(best)
        line[f"{title} {kind}"] = best["variant"] if best is not None and best["valid"] else ""
        line["speed-up"] = _ratio(best, ours)
        line["max abs err"] = _error(ours)
        for v in variants:
            line[f"{v} ms"] = _time(by_variant[v].get(cell, {}).get(system))
        lines.append(line)
    return pd.DataFrame(lines)


def pytorch_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T5: acrobat, PyTorch as first written, as batched by an expert, and that compiled, and the
    floor."""
    lines = []
    for cell, systems in _by_cell(best_variants(rows)).items():
        line = _cell_columns(cell)
        ours = systems.get("acrobat")
        line["acrobat ms"] = _time(ours)
        for name, title in PYTORCH.items():
            line[f"{title} ms"] = _time(systems.get(name))
            line[f"speed-up over {title}"] = _ratio(systems.get(name), ours)
        line["floor ms"] = _time(systems.get("floor"))
        line["acrobat / floor"] = _ratio(ours, systems.get("floor"))
        lines.append(line)
    return pd.DataFrame(lines)


def workload_table(rows: pd.DataFrame) -> pd.DataFrame:
    """T2: what each workload is made of, with the default options: nodes, batches beside their
    lower bound, kernel calls, synchronisations, error, and the time beside PyTorch's."""
    lines = []
    for cell, systems in _by_cell(best_variants(rows)).items():
        ours, eager = systems.get("acrobat"), systems.get("torch_eager")
        line = _cell_columns(cell)
        names = {"n_nodes": "nodes", "n_batches": "batches", "min_batches": "least batches"}
        names |= {"n_kernel_calls": "kernel calls", "n_syncs": "synchronisations"}
        for column, title in names.items():
            known = ours is not None and column in ours and not pd.isna(ours[column])
            line[title] = int(ours[column]) if known else "-"  # type: ignore[index]
        line["max abs err"] = _error(ours)
        line["acrobat ms"] = _time(ours)
        line["eager ms"] = _time(eager)
        line["speed-up over eager"] = _ratio(eager, ours)
        lines.append(line)
    return pd.DataFrame(lines)


def write_table(table: pd.DataFrame, stem: Path) -> list[Path]:
    """`table` as CSV, Markdown and LaTeX beside each other."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_suffix(s) for s in (".csv", ".md", ".tex")]
    table.to_csv(paths[0], index=False)
    paths[1].write_text(table.to_markdown(index=False) + "\n")
    paths[2].write_text(table.to_latex(index=False, escape=True))
    return paths


def _by_cell(rows: pd.DataFrame) -> dict[tuple[object, ...], dict[str, pd.Series]]:
    rows = rows.assign(valid=valid(rows))
    found: dict[tuple[object, ...], dict[str, pd.Series]] = {}
    for _, row in rows.iterrows():
        found.setdefault(tuple(row[c] for c in CELL), {})[row["system"]] = row
    return found


def _cell_columns(cell: tuple[object, ...]) -> dict[str, object]:
    return dict(zip(("workload", "size", "batch", "threads"), cell, strict=True))


def _time(row: pd.Series | None) -> str:
    if row is None:
        return "not measured"
    if row["status"] != "ok":
        return f"{row['status']}: {row['reason']}"
    return f"{row['median_ms']:.3g}" + ("" if row["valid"] else f" (wrong: {row['reason']})")


def _ratio(over: pd.Series | None, under: pd.Series | None) -> str:
    if over is None or under is None or not over["valid"] or not under["valid"]:
        return "-"
    return f"{over['median_ms'] / under['median_ms']:.2f}"


def _error(row: pd.Series | None) -> str:
    return "-" if row is None or pd.isna(row["max_abs_err"]) else f"{row['max_abs_err']:.1e}"
