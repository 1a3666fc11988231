"""Schedules that a search has found, by machine and by what a kernel computes.

A database is a file of JSON per kind of machine, one kernel to a line, sorted: `entry` is what a
line says, `database` the file. Some come with the package (the .json files here); those that
`acrobat tune` finds lie in the cache and count more. `lookup` gives the schedules of a program's
kernels; a line that does not fit is refused with a line in the log, and the rule serves.
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
