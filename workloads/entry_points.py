"""Objects that other distributions add as entry points, and messages about unusable ones."""

from __future__ import annotations

import importlib.metadata
from typing import TypeVar

_T = TypeVar("_T")


def load_entries(group: str, kind: type[_T]) -> tuple[list[tuple[str, _T]], list[str]]:
    """The objects of a group with the names of their entry points, and a sentence for each that
    cannot be loaded or is not a `kind`: a broken distribution must not affect the others."""
    found: list[tuple[str, _T]] = []
    lost: list[str] = []
    for entry in importlib.metadata.entry_points(group=group):
        where = f"{group}: {entry.name} = {entry.value}"
        try:
            loaded = entry.load()
        except (Exception, SystemExit) as error:
            lost.append(f"{where} cannot be loaded ({type(error).__name__}: {error})")
            continue
        if isinstance(loaded, kind):
            found.append((where, loaded))
        else:
            lost.append(f"{where} is a {type(loaded).__name__}, no {kind.__name__}")
    return found, lost
