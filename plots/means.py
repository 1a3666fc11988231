"""Geometric means of speed-ups, never across two machines or two versions of a system's sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from harness.intervals import Interval, Timing, mean_interval

from .cells import by_cell, interval, ratio_text
from .devices import threads_of
from .rows import best_variants, threads_used, usual_batches

# A row's machine and sources, which must be the same in all rows of a mean.
_Origin = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over the cells of one model size and thread count; `ours` and `theirs` are the
    origins (machine and sources) of acrobat's and the opponent's rows. The same sources may have
    been measured at several commits."""

    ours: _Origin
    theirs: _Origin
    size: str
    threads: int
    interval: Interval
    workloads: tuple[str, ...]
    commits: frozenset[str]

    @property
    def cells(self) -> int:
        return len(self.workloads)


def means(rows: pd.DataFrame, system: str) -> list[Mean]:
    """The mean speed-ups of acrobat over `system` in one device's rows, by origin, size and
    threads."""
    groups: dict[tuple[object, ...], list[tuple[str, pd.Series, pd.Series]]] = {}
    for (workload, size, _, threads), found in by_cell(best_variants(usual_batches(rows))).items():
        ours, theirs = found.get("acrobat"), found.get(system)
        if interval(theirs, ours) is None:
            continue
        assert ours is not None and theirs is not None
        key = (origin(ours), origin(theirs), size, threads)
        groups.setdefault(key, []).append((str(workload), theirs, ours))
    made = []
    for (ours_of, theirs_of, size, threads), cells in groups.items():
        mean = mean_interval([(Timing.of(theirs), Timing.of(ours)) for _, theirs, ours in cells])
        names = tuple(name for name, _, _ in cells)
        commits = frozenset(row["git_sha"] for _, *both in cells for row in both)
        made.append(Mean(ours_of, theirs_of, str(size), int(threads), mean, names, commits))  # type: ignore
    return made


def origin(row: pd.Series) -> _Origin:
    """The machine and sources of a row, which must be the same in all rows of a mean."""
    return row["machine"], row["source_hash"]


def mean_speedups(rows: pd.DataFrame, systems: dict[str, str]) -> list[str]:
    """Sentences with the mean speed-ups over each of `systems` (name: title) in one device's rows:
    one per system, or one per system, machine and version of the sources if there are several. n
    counts cells."""
    lines = []
    device = rows["device"].iloc[0]
    for name, title in systems.items():
        found = means(rows, name)
        if not found:
            continue
        used = threads_used(rows, name)
        head = f"Geometric mean of the speed-up over {title}"
        origins = list(dict.fromkeys((m.ours, m.theirs) for m in found))
        for origin in origins:
            part = [m for m in found if (m.ours, m.theirs) == origin]
            about = _about(part, found, title) if len(origins) > 1 else ""
            texts = [_text(m, device, used, title, len(origins) > 1) for m in part]
            lines.append(f"{head}{about}: {'; '.join(texts)}.")
    return lines


def _text(mean: Mean, device: str, used: int | None, title: str, name_them: bool) -> str:
    where = f"{mean.size}{threads_of(device, mean.threads)}"
    if used is not None and used < mean.threads:
        where += f" ({title} on {used})"
    names = f": {', '.join(dict.fromkeys(mean.workloads))}" if name_them else ""
    return f"{where}: {ratio_text(mean.interval)} (n={mean.cells}{names})"


def _about(part: Sequence[Mean], all_: Sequence[Mean], title: str) -> str:
    """A text that distinguishes the rows of these means from those of the others."""
    said = []
    mean = part[0]
    if len({m.ours[0] for m in all_}) > 1:
        said.append(f"on {mean.ours[0]}")
    commits = sorted(frozenset().union(*(m.commits for m in part)))
    sources = []
    if len({m.ours[1] for m in all_}) > 1:
        sources.append(f"acrobat's sources {mean.ours[1][:8]}")
    if len({m.theirs[1] for m in all_}) > 1:
        sources.append(f"{title}'s sources {mean.theirs[1][:8]}")
    if sources:
        said.append(f"{' and '.join(sources)} (commit {', '.join(commits)})")
    return ", " + ", ".join(said)
