"""The models that are measured, one module each, and their data.

A module of this package or of one of `STUDIES` that has a `WORKLOAD` is a workload; another
distribution adds its own as an entry point of the group `acrobat.workloads`,
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
# The folders of studies of their own (`Workload.study`).
STUDIES = ("other", "divergent")


# They become names of files.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")


def _ours() -> Iterator[Workload]:
    for package in (__name__, *(f"{__name__}.{study}" for study in STUDIES)):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            found = getattr(importlib.import_module(f"{package}.{module.name}"), "WORKLOAD", None)
            if isinstance(found, Workload):
                yield found


def _discover() -> tuple[dict[str, Workload], tuple[str, ...]]:
    """All workloads in their order, and why there are not more."""
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
# All there are; those of no study of their own, which lists have unless they are told otherwise.
ALL = tuple(_WORKLOADS)
NAMES = tuple(name for name, workload in _WORKLOADS.items() if not workload.study)


def of_study(study: str) -> tuple[str, ...]:
    """The workloads of a study, in their order."""
    return tuple(name for name, workload in _WORKLOADS.items() if workload.study == study)


def get(name: str) -> Workload:
    """The workload of that name; ValueError lists what exists."""
    if name not in _WORKLOADS:
        near = difflib.get_close_matches(name, ALL, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        lost = "".join(f" {problem}." for problem in PROBLEMS)
        raise ValueError(f"there is no workload {name!r}; there is {', '.join(ALL)}.{hint}{lost}")
    return _WORKLOADS[name]
