"""The measured systems by name. Nothing heavy is imported before a system is used.

A module or package of `baselines/` is a system if it defines a `RECORD`; other distributions add
theirs as entry points of the group `acrobat.systems`, "package.module:RECORD". There is no other
list.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import pkgutil
from pathlib import Path

from workloads.entry_points import load_entries

from .api import NotBuilt, Problem, Supported, System, Trainer, Unsupported
from .system_record import SystemRecord

ENTRY_POINTS = "acrobat.systems"
_HERE = Path(__file__).resolve().parent
# The modules of the interface that every system implements.
_CONTRACT = ("__init__", "api", "environment", "needs", "registry", "system_record")
_SOURCES = (".py", ".cc", ".h")
_added: dict[str, SystemRecord] = {}


def add(record: SystemRecord) -> None:
    """Register, for this process, a system that is not in a module of `baselines/`."""
    _added[record.name] = record


def records() -> dict[str, SystemRecord]:
    """All systems by name, in order: `acrobat` first."""
    found = {record.name: record for record in _discovered()[0]} | _added
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def record(name: str) -> SystemRecord:
    """The record with that name; the ValueError for an unknown one lists what exists."""
    # Imports a single system: a worker should hold in memory only the one that it measures.
    known = _added.get(name) or _in_module(name)
    if known is None:
        known = records().get(name)
    if known is None:
        near = difflib.get_close_matches(name, names(), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        lost = "".join(f" {problem}." for problem in problems())
        raise ValueError(f"there is no system {name!r}; there is {', '.join(names())}.{hint}{lost}")
    return known


def is_ours(name: str) -> bool:
    """Whether a system is in `baselines/`, as opposed to another distribution."""
    return name not in _added and _in_module(name) is not None


def problems() -> tuple[str, ...]:
    """The unusable systems of other distributions, each with the reason."""
    return _discovered()[1]


def names() -> tuple[str, ...]:
    """All systems, `acrobat` first."""
    return tuple(records())


def get(name: str) -> type[System]:
    """The `System` class with that name; the ValueError for an unknown one lists what exists."""
    return record(name).implementation


def trainer(name: str) -> type[Trainer] | None:
    """The `Trainer` class of a system; None if it only infers."""
    known = record(name).trainer
    if not known:
        return None
    found: type[Trainer] = pkgutil.resolve_name(known)
    return found


def supports(name: str, problem: Problem) -> Supported | Unsupported | NotBuilt:
    """The system's own answer for a problem; Unsupported if it must train and cannot."""
    if problem.training is None:
        return get(name).supports(problem)
    trains = trainer(name)
    if trains is None:
        return Unsupported(f"{name} only infers: it has no training step")
    return trains.supports(problem)


def variants(name: str) -> tuple[str, ...]:
    """The variants of a system that are measured by default."""
    return record(name).variants


def all_variants(name: str) -> tuple[str, ...]:
    """All variants of a system; empty if its variants are options, as acrobat's are."""
    return get(name).VARIANTS


def sources(name: str) -> list[Path]:
    """The files that the system's figures depend on, sorted: its own file or folder, those of the
    systems and packages that it is built on, and those shared by all systems."""
    of = record(name)
    found = {_HERE / f"{module}.py" for module in _CONTRACT}
    found.update((_HERE / "shared").rglob("*.py"))
    for part in (name, *of.built_on):
        spec = importlib.util.find_spec(f"{__package__}.{part}")
        if spec is None:  # From another distribution: the module of its implementation.
            spec = importlib.util.find_spec(record(part).implementation.__module__)
        if spec is not None and spec.submodule_search_locations:
            folders = map(Path, spec.submodule_search_locations)
            found.update(p for f in folders for p in f.rglob("*") if p.suffix in _SOURCES)
        elif spec is not None and spec.origin and Path(spec.origin).is_file():
            found.add(Path(spec.origin))
    return sorted(found)


def _in_module(name: str) -> SystemRecord | None:
    if not name.isidentifier() or importlib.util.find_spec(f"{__package__}.{name}") is None:
        return None
    found = getattr(importlib.import_module(f"{__package__}.{name}"), "RECORD", None)
    if not isinstance(found, SystemRecord):
        return None
    if found.name != name:
        raise ValueError(f"the record in baselines/{name} is called {found.name!r}")
    return found


@functools.cache
def _discovered() -> tuple[tuple[SystemRecord, ...], tuple[str, ...]]:
    """All records, and messages about those that could not be loaded."""
    modules = (module.name for module in pkgutil.iter_modules([str(_HERE)]))
    every = [found for name in modules if (found := _in_module(name))]
    theirs, lost = load_entries(ENTRY_POINTS, SystemRecord)
    for entry, record in theirs:
        if any(record.name == other.name for other in every):
            lost.append(f"{entry}: there is a system {record.name!r} already")
        elif problem := record.problem():
            lost.append(f"{entry}: {problem}")
        else:
            every.append(record)
    return tuple(every), tuple(lost)
