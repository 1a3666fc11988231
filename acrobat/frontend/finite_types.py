"""Data types without a finite value: every value contains another one of the same type."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.typed import DataDef
from ..ir.types import DataRef, OptionalType, TupleType, Type, UnionType


def endless_fields(datas: Mapping[str, DataDef]) -> list[tuple[str, str, Type]]:
    """The data types without a finite value, each with a field that makes it so: `("Node", "next",
    Node)`. A list may be empty, a union may have a member that ends."""
    ending: set[str] = set()
    while True:
        more = {
            d.name
            for d in datas.values()
            if d.name not in ending and all(_ends(t, ending) for _, t in d.fields)
        }
        if not more:
            break
        ending |= more
    return [
        (d.name, *next((n, t) for n, t in d.fields if not _ends(t, ending)))
        for d in datas.values()
        if d.name not in ending
    ]


def _ends(t: Type, ending: set[str]) -> bool:
    if isinstance(t, OptionalType):
        return True
    if isinstance(t, TupleType):
        return all(_ends(i, ending) for i in t.items)
    if isinstance(t, DataRef):
        return t.name in ending
    return not isinstance(t, UnionType) or any(m in ending for m in t.members)
