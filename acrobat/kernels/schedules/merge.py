"""Merge what a search has found into the user's database or the one in the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...cache import change_kept
from ..printers.cpu.target import CpuTarget
from . import lookup
from .database import Database, file_name, machine_of
from .entry import Entry


def merge_into_users(found: Sequence[Entry], target: CpuTarget) -> Path:
    """Add entries to the user's database, replacing those of the same kernels; returns the file.
    A file that is damaged or for an older template is started afresh."""

    def change(before: bytes | None) -> bytes:
        old = Database.parse(before or b"", machine_of(target))
        return old.merged(found).text().encode()

    return change_kept(lookup.KIND, file_name(target), change)


def merge_into_package(found: Sequence[Entry], target: CpuTarget) -> Path:
    """Like `merge_into_users`, but for the package's file in this checkout, which is to be
    committed. OSError if it cannot be written."""
    path = Path(__file__).parent / file_name(target)
    before = path.read_bytes() if path.exists() else b""
    path.write_bytes(Database.parse(before, machine_of(target)).merged(found).text().encode())
    lookup.committed.cache_clear()
    return path
