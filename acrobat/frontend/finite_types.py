"""Data types without a finite value: every value contains another one of the same type."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..ir.type_queries import member_names
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


def shallowest(datas: Mapping[str, DataDef], t: DataRef | UnionType) -> str | None:
    """The member of `t` of which there is an object that contains the fewest levels of others, if
    also what may be None contains them; None if there is none."""
    depths: dict[str, int] = {}
    for level in range(len(datas)):
        new = [
            d.name
            for d in datas.values()
            if d.name not in depths and all(_is_made(f, depths) for _, f in d.fields)
        ]
        depths |= dict.fromkeys(new, level)
    found = [m for m in member_names(t) if m in depths]
    return min(found, key=depths.__getitem__, default=None)


def _is_made(t: Type, made: Collection[str]) -> bool:
    if isinstance(t, TupleType):
        return all(_is_made(i, made) for i in t.items)
    if isinstance(t, (DataRef, UnionType)):
        return any(m in made for m in member_names(t))
    return True
