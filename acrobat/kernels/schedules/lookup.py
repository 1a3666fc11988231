"""The schedules of a program's kernels on this machine."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import resources

from ...cache import read_kept
from ...errors import CacheError
from ...log import logger
from ..printers.cpu.fit import misfit
from ..printers.cpu.rule import schedule_by_rule
from ..printers.cpu.schedule import Schedule
from ..printers.cpu.target import CpuTarget, host_target
from ..specification.spec import KernelSpec
from .database import Database, file_name, machine_of
from .entry import kernel_key

# The folder of the cache that holds the user's databases.
KIND = "schedules"


def schedules_for(
    specs: Sequence[KernelSpec], target: CpuTarget | None = None
) -> dict[str, Schedule]:
    """The schedules that a search found for kernels, by kernel name; kernels that are not listed
    use the rule's. The user's schedules take precedence over those of the package."""
    target = target or host_target()
    found: dict[str, Schedule] = {}
    known = {**committed(target).entries, **users(target).entries}
    if not known:
        return found
    for spec in specs:
        entry = known.get(kernel_key(spec)) if spec.gates else None
        if entry is None or entry.schedule == schedule_by_rule(spec, target):
            continue
        if reason := misfit(entry.schedule, spec, target):
            logger.warning("%s has the rule's schedule, not the one found: %s", spec.name, reason)
            continue
        found[spec.name] = entry.schedule
    if found:
        logger.debug("%d of %d kernels have schedules that were found", len(found), len(specs))
    return found


@functools.cache
def committed(target: CpuTarget) -> Database:
    """The schedules that come with the package."""
    path = resources.files(__package__).joinpath(file_name(target))
    if not path.is_file():
        return Database(machine_of(target), {})
    return _parsed(path.read_bytes(), target, "the package")


def users(target: CpuTarget) -> Database:
    """The schedules that this user's searches found, from the cache."""
    try:
        data = read_kept(KIND, file_name(target))
    except CacheError as error:
        logger.warning("schedules are the rule's: %s", error)
        data = None
    return _read(data, target)


@functools.lru_cache(8)
def _read(data: bytes | None, target: CpuTarget) -> Database:
    if data is None:
        return Database(machine_of(target), {})
    return _parsed(data, target, "the cache")


def _parsed(data: bytes, target: CpuTarget, where: str) -> Database:
    found = Database.parse(data, machine_of(target))
    for reason in found.refused:
        logger.warning("schedules of %s are the rule's: %s", where, reason)
    return found
