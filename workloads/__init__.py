"""The models that are measured, one module each, and their data.

A module of this package that has a `WORKLOAD` is a workload; another distribution adds its own as
an entry point of the group `acrobat.workloads`, "package.module:WORKLOAD". There is no other list.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Iterable, Iterator

from .api import Workload

ENTRY_POINTS = "acrobat.workloads"


def by_name(found: Iterable[Workload]) -> dict[str, Workload]:
    """Workloads in their order; ValueError if two have one name."""
    named: dict[str, Workload] = {}
    for workload in sorted(found, key=lambda w: (w.order, w.name)):
        if workload.name in named:
            raise ValueError(f"there are two workloads {workload.name!r}")
        named[workload.name] = workload
    return named


def _discover() -> Iterator[Workload]:
    for module in pkgutil.iter_modules(__path__):
        found = getattr(importlib.import_module(f"{__name__}.{module.name}"), "WORKLOAD", None)
        if isinstance(found, Workload):
            yield found
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        yield entry.load()


_WORKLOADS = by_name(_discover())
NAMES = tuple(_WORKLOADS)


def get(name: str) -> Workload:
    """The workload of that name; ValueError lists what exists."""
    if name not in _WORKLOADS:
        near = difflib.get_close_matches(name, NAMES, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no workload {name!r}; there is {', '.join(NAMES)}.{hint}")
    return _WORKLOADS[name]
