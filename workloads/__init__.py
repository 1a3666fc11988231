"""The models that are measured, one module each, and their data.

A module of this package or of one of `STUDIES` is a workload if it defines a `WORKLOAD`; other
distributions add theirs as entry points of the group `acrobat.workloads`,
"package.module:WORKLOAD". There is no other list.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Iterator

from .api import Workload
from .entry_points import load_entries

ENTRY_POINTS = "acrobat.workloads"
# The folders of separate studies (`Workload.study`).
STUDIES = ("other", "divergent")


# Names of workloads and sizes become file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")


def _ours() -> Iterator[Workload]:
    for package in (__name__, *(f"{__name__}.{study}" for study in STUDIES)):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            found = getattr(importlib.import_module(f"{package}.{module.name}"), "WORKLOAD", None)
            if isinstance(found, Workload):
                yield found


def _discover() -> tuple[dict[str, Workload], tuple[str, ...]]:
    """All workloads in order, and messages about those that could not be loaded."""
    named = {workload.name: workload for workload in _ours()}
    theirs, lost = load_entries(ENTRY_POINTS, Workload)
    for entry, workload in theirs:
        bad = [n for n in (workload.name, *workload.sizes) if not _NAME.fullmatch(str(n))]
        if bad:
            lost.append(f"{entry}: the name {bad[0]!r} does not match {_NAME.pattern!r}")
        elif workload.name in named:
            lost.append(f"{entry}: there is a workload {workload.name!r} already")
        else:
            named[workload.name] = workload
    ordered = sorted(named.values(), key=lambda w: (w.order, w.name))
    return {workload.name: workload for workload in ordered}, tuple(lost)


_WORKLOADS, PROBLEMS = _discover()
# All workloads, and those that belong to no separate study, which lists contain by default.
ALL = tuple(_WORKLOADS)
NAMES = tuple(name for name, workload in _WORKLOADS.items() if not workload.study)


def of_study(study: str) -> tuple[str, ...]:
    """The workloads of a study, in order."""
    return tuple(name for name, workload in _WORKLOADS.items() if workload.study == study)


def get(name: str) -> Workload:
    """The workload with that name; the ValueError for an unknown one lists what exists."""
    if name not in _WORKLOADS:
        near = difflib.get_close_matches(name, ALL, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        lost = "".join(f" {problem}." for problem in PROBLEMS)
        raise ValueError(f"there is no workload {name!r}; there is {', '.join(ALL)}.{hint}{lost}")
    return _WORKLOADS[name]
