"""What an error says of an object whose class derives from that of the data expected, or the other
way round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from ..ir.typed import DataDef


def related(value: Any, members: tuple[str, ...], datas: Mapping[str, DataDef]) -> str:
    """What to write if an object is of a base class or a subclass of the data types expected;
    the empty string if it is not."""
    given = type(value)
    for member in members:
        cls = datas[member].cls
        hint = f"a hint that names all, `{' | '.join([*members, given.__name__])}`"
        if datas[member].raw or given is object:
            continue
        if issubclass(given, cls):
            return f", a subclass of {member}; write {hint}"
        if issubclass(cls, given):
            made = "" if is_dataclass(given) else f"`@dataclass` above {given.__name__}, and "
            return f", a base class of {member}; write {made}{hint}"
    return ""
