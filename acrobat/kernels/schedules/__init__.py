"""Schedules that a search has found, keyed by machine and by what a kernel computes.

A database is one JSON file per kind of machine, sorted, with one kernel per line: `entry` defines
a line, `database` the file. Some come with the package (the .json files here); the schedules that
`acrobat tune` finds are kept in the cache and take precedence. `lookup` returns the schedules of a
program's kernels; an entry that does not fit is rejected with a log message, and the kernel uses
the rule's schedule.
"""

from __future__ import annotations

from .database import Database, machine_of
from .entry import Entry, Measured, kernel_key, words
from .lookup import committed, schedules_for, users
from .merge import merge_into_package, merge_into_users

__all__ = [
    "Database",
    "Entry",
    "Measured",
    "committed",
    "kernel_key",
    "machine_of",
    "merge_into_package",
    "merge_into_users",
    "schedules_for",
    "users",
    "words",
]
