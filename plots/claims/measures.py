"""The measures of claims: each is a function from one device's rows to named numbers.

A number is an interval, along with its cell if it comes from a single one. A result without numbers
means that the rows lack what the claim needs.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

import workloads
from acrobat.options import Options
from harness.intervals import Interval, Timing, mean_interval

from ..activities import activities
from ..cells import by_cell, interval
from ..devices import threads_of
from ..ladder import Ladder, ladders
from ..rows import best_variants
from ..studies import of_study


@dataclass(frozen=True, slots=True)
class Number:
    """A measured number; `of` is the cell that it comes from, "" if it covers several."""

    interval: Interval
    of: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The numbers of a measure, and the `count` of cells or other `things` that they cover."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    count: int = 0
    things: str = "cells"


Measure = Callable[..., Finding]
MEASURES: dict[str, Measure] = {}
_Cell = tuple[object, ...]
_Systems = dict[str, pd.Series]


def measure(function: Measure) -> Measure:
    """Register a function under its name, by which config/paper_claims.yaml refers to it."""
    MEASURES[function.__name__] = function
    return function


@measure
def speed_up(
    rows: pd.DataFrame,
    over: str,
    only: Sequence[str] = (),
    batch_above: int = 0,
    study: str = "",
) -> Finding:
    """The speed-up of acrobat over a system's best variant, cell by cell: `mean` (geometric),
    `largest`, `smallest`."""
    pairs = []
    for cell, systems in _cells(rows, only, study):
        if int(str(cell[2])) > batch_above:
            pairs.append((cell, systems.get(over), systems.get("acrobat")))
    return _ratios(pairs)


@measure
def speed_up_over_variant(rows: pd.DataFrame, variant: str, only: Sequence[str] = ()) -> Finding:
    """The speed-up of acrobat's default options over another variant of it, cell by cell, with the
    numbers of `speed_up`; limited to the workloads `only`, if given."""
    ours = rows[rows["system"] == "acrobat"]
    if only:
        ours = ours[ours["workload"].isin(only)]
    of = {v: by_cell(ours[ours["variant"] == v]) for v in ("full", variant)}
    return _ratios(
        (cell, systems["acrobat"], of["full"].get(cell, {}).get("acrobat"))
        for cell, systems in of[variant].items()
    )


@measure
def step(rows: pd.DataFrame, option: str) -> Finding:
    """The gain of an option's rung of the ablation ladder over the previous rung, cell by cell,
    with the numbers of `speed_up`."""
    found = []
    for ladder in ladders(rows):
        last = _last_option(ladder)
        names = {f"+ {option}", "all on"} if last == option else {f"+ {option}"}
        found += [(ladder.cell, r.step) for r in ladder.rungs if r.name in names and r.step]
    return _summary(found, None)


@measure
def overhead(rows: pd.DataFrame, over: str) -> Finding:
    """The run-time overhead of another system relative to acrobat's, cell by cell: the time of all
    activities but kernels that each system distinguishes (graph, scheduling, copies). The overhead
    of a system that counts some of these as kernels is underestimated."""
    found = []
    for cell, systems in _cells(rows):
        theirs, ours = (_host_ms(systems.get(name)) for name in (over, "acrobat"))
        if theirs is not None and ours:
            found.append((cell, _exact(theirs / ours)))
    return _summary(found, None)


@measure
def batching(rows: pd.DataFrame, only: Sequence[str], batch: int) -> Finding:
    """How acrobat batches at one mini-batch size: `smallest` and `mean` number of nodes per batch,
    and `over_bound`, the largest ratio of the number of batches to its lower bound."""
    found: list[tuple[_Cell, Interval]] = []
    bounds: list[tuple[_Cell, Interval]] = []
    for cell, systems in _cells(rows, only):
        row = systems.get("acrobat")
        if cell[2] == batch and row is not None and row["valid"] and row["n_batches"]:
            found.append((cell, _exact(row["n_nodes"] / row["n_batches"])))
            if row.get("min_batches") and not pd.isna(row["min_batches"]):
                bounds.append((cell, _exact(row["n_batches"] / row["min_batches"])))
    summary = _summary(found, None)
    if not bounds:
        return summary
    cell, most = max(bounds, key=lambda b: b[1].value)
    numbers = {**summary.numbers, "over_bound": Number(most, _name(rows, cell))}
    return Finding(numbers, summary.count)


@measure
def annotations_per_model(rows: pd.DataFrame) -> Finding:
    """The number of annotations (`ab.parallel`, `ab.phase`) in the sources of the workloads'
    models: `largest`, `mean`. Covers the workloads in the rows that are known here."""
    there = sorted(set(rows["workload"]) & set(workloads.NAMES))
    counts = {name: _annotations(name) for name in there}
    if not counts:
        return Finding()
    most = max(counts, key=lambda name: counts[name])
    numbers = {
        "largest": Number(_exact(counts[most]), most),
        "mean": Number(_exact(sum(counts.values()) / len(counts))),
    }
    return Finding(numbers, len(counts), "workloads")


@measure
def energy(rows: pd.DataFrame, over: str) -> Finding:
    """The energy of another system for a mini-batch relative to acrobat's, cell by cell."""
    found = []
    for cell, systems in _cells(rows):
        both = [systems.get(name) for name in (over, "acrobat")]
        joules = [row["energy_j"] for row in both if row is not None and row["valid"]]
        if len(joules) == 2 and all(j and not pd.isna(j) for j in joules):
            found.append((cell, _exact(joules[0] / joules[1])))
    return _summary(found, None)


def _cells(
    rows: pd.DataFrame, only: Sequence[str] = (), study: str = ""
) -> list[tuple[_Cell, _Systems]]:
    """The best rows of every cell of a study, limited to the workloads `only`, if given."""
    rows = of_study(rows, study)
    if only:
        rows = rows[rows["workload"].isin(only)]
    return list(by_cell(best_variants(rows)).items()) if len(rows) else []


def _ratios(pairs: Iterable[tuple[_Cell, pd.Series | None, pd.Series | None]]) -> Finding:
    found, timings = [], []
    for cell, theirs, ours in pairs:
        ratio = interval(theirs, ours)
        if ratio is not None:
            assert theirs is not None and ours is not None
            found.append((cell, ratio))
            timings.append((Timing.of(theirs), Timing.of(ours)))
    return _summary(found, mean_interval(timings) if timings else None)


def _summary(found: Sequence[tuple[_Cell, Interval]], mean: Interval | None) -> Finding:
    """The mean, and the extremes with their cells; `mean` None: computed here, without interval."""
    if not found:
        return Finding()
    ordered = sorted(found, key=lambda pair: pair[1].value)
    mean = mean or _exact(float(np.exp(np.mean([np.log(i.value) for _, i in found]))))
    (low, smallest), (high, largest) = ordered[0], ordered[-1]
    numbers = {
        "mean": Number(mean),
        "smallest": Number(smallest, _name(None, low)),
        "largest": Number(largest, _name(None, high)),
    }
    return Finding(numbers, len(found))


def _last_option(ladder: Ladder) -> str | None:
    """The option that the last step, to all options on, turns on; None if it is not exactly one."""
    if len(ladder.rungs) < 2:
        return None
    before = ladder.rungs[-2].row["variant"].removeprefix("off").lstrip("+").split(",")
    left = set(Options.ladder()) - set(before)
    return left.pop() if len(left) == 1 else None


def _exact(number: float) -> Interval:
    """A number that was counted, or whose spread is unknown."""
    return Interval(float(number), np.nan, np.nan)


def _name(rows: pd.DataFrame | None, cell: _Cell) -> str:
    workload, size, batch, threads = cell
    device = "cpu" if rows is None else rows["device"].iloc[0]
    return f"{workload} {size} b{batch}{threads_of(device, threads)}"


def _host_ms(row: pd.Series | None) -> float | None:
    """The milliseconds of a run outside kernels, as far as the system distinguishes them."""
    found = None if row is None else activities(row)
    if found is None:
        return None
    told = ("graph", "scheduling", "copies")
    return sum(found.milliseconds.get(name, 0.0) for name in told)


def _annotations(workload: str) -> int:
    module = inspect.getmodule(inspect.unwrap(workloads.get(workload).model))
    assert module is not None, workload
    tree = ast.parse(inspect.getsource(module))
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func) in ("ab.parallel", "ab.phase")
        for node in ast.walk(tree)
    )
