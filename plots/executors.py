"""Table T7: control flow compiled ahead of time (`executor="aot"`) against interpreted ("vm")."""

from __future__ import annotations

import pandas as pd

from .activities import activities
from .cells import Value, by_cell, cell_columns, digits, error, ratio, time
from .content import Content, Table
from .shown import Shown

VM = "executor=vm"


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T7, if the interpreter was measured."""
    return Content([Table(executor_table(rows))])


def executor_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell in which the interpreter was measured: both times, the speed-up from
    compilation, and the time of each outside its kernels."""
    ours = rows[rows["system"] == "acrobat"]
    of = {v: by_cell(ours[ours["variant"] == v]) for v in ("full", VM)}
    lines = []
    for cell, systems in of[VM].items():
        vm, aot = systems["acrobat"], of["full"].get(cell, {}).get("acrobat")
        line = cell_columns(cell)
        line |= {"compiled ms": time(aot), "interpreted ms": time(vm), "speed-up": ratio(vm, aot)}
        line |= {"compiled, no kernels": _host(aot), "interpreted, no kernels": _host(vm)}
        line["max abs err"] = error(vm)
        lines.append(line)
    return pd.DataFrame(lines)


def _host(row: pd.Series | None) -> Value:
    """The milliseconds outside kernels."""
    found = None if row is None else activities(row)
    if found is None:
        return "-"
    return digits(sum(ms for name, ms in found.milliseconds.items() if name != "kernels"))
