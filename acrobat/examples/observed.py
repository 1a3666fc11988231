"""What examples have at each place: in a parameter of the model, in a field of a class, and in the
tuples, lists and dicts there.

A place is a path: a parameter or a class with one of its fields, then the parts of tuples and
collections. Objects are not part of a path: whatever contains them, a field of theirs is one place,
so data may be nested to any depth. Tuples and lists that are nested like data, such as
`("S", ("NP", "we"), ("VP", "run"))`, are brought together: where a tuple is found inside of another
one that looks like it, both are at one place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..runtime.place import Place
from .kinds import MOST_KEYS, Kind, field_names, is_object, kind_of, misfit, parts_of

Path = tuple[Any, ...]
# A value that is still to be looked at, with its path and place.
Item = tuple[Any, Path, Place]

# How many containers of one form may be inside of each other: deeper ones count as data.
NESTED = 3
# What a container looks like.
Form = tuple[type | None, ...]


@dataclass(slots=True)
class Seen:
    """What is at one place of the examples: the kinds of values, each with the forms that
    containers of this kind have; the shapes of arrays and the keys of dicts, each with a place
    where they are; and where the first value is."""

    first: Place
    kinds: dict[Kind, set[Form]] = field(default_factory=dict)
    shapes: dict[tuple[int, ...], Place] = field(default_factory=dict)
    keys: dict[tuple[Any, ...], Place] = field(default_factory=dict)


class _Again(Exception):
    """A place turned out to be one with another, around it, or one of dicts with other keys."""


@dataclass(slots=True)
class Observed:
    """What a list of examples has. `same`: of places that are one with another, which one. `maps`:
    the places of dicts that have several sets of keys, or other keys than strings; the values of
    others are a place for each key."""

    nested: int
    maps: set[Path] = field(default_factory=set)
    seen: dict[Path, Seen] = field(default_factory=dict)
    classes: dict[type, tuple[str, ...]] = field(default_factory=dict)
    same: dict[Path, Path] = field(default_factory=dict)

    def at(self, path: Path) -> Seen | None:
        """What is at a place; None if no example has anything there."""
        return self.seen.get(self.same.get(path, path))

    def inside(self, path: Path, *part: Any) -> Path:
        """The path of a part of what is at `path`."""
        whole = (*self.same.get(path, path), *part)
        return self.same.get(whole, whole)


def observed(items: Iterable[Item], nested: int = NESTED) -> Observed:
    """What the values have, each a parameter of one example. `nested`: how many containers of one
    form may be inside of each other before they count as data that refers to itself. InstanceError
    for a value that no instance may have."""
    same: dict[Path, Path] = {}
    maps = set[Path]()
    start = list(items)
    while True:
        found = Observed(nested, maps, same=same)
        try:
            _walk(found, start)
            for path, seen in found.seen.items():
                _compare(found, path, mixed=len(seen.kinds) > 1)
            return found
        except _Again:
            continue  # from the beginning, with one place more in `same` or `maps`


def _walk(found: Observed, start: list[Item]) -> None:
    work = start[::-1]
    objects = set[int]()
    # By identity and place; containers that are met once more there show nothing new.
    containers = set[tuple[int, Path]]()
    while work:
        value, path, place = work.pop()
        kind = kind_of(value, place)
        seen = found.seen.setdefault(path, Seen(place))
        forms = seen.kinds.setdefault(kind, set())
        if kind.cls is np.ndarray:
            seen.shapes.setdefault(value.shape, place)
        elif is_object(kind):
            if id(value) in objects:
                continue
            objects.add(id(value))
            names = field_names(value)
            _check_names(found, type(value), names, place)
            fields = ((object.__getattribute__(value, n), (kind.cls, n), n) for n in names)
            work += [(v, p, Place(place, n)) for v, p, n in fields]
        elif kind.is_container and (id(value), path) not in containers:
            containers.add((id(value), path))
            if kind.cls is dict:
                _note_keys(found, path, tuple(dict.keys(value))[: MOST_KEYS + 1], place)
            parts = list(parts_of(value, kind, place, path in found.maps))
            form = _form(kind, parts)
            if form not in forms:
                forms.add(form)
                _compare(found, path)
            work += [(v, found.inside(path, kind, name), p) for name, v, p in reversed(parts)]


def _note_keys(found: Observed, path: Path, keys: tuple[Any, ...], place: Place) -> None:
    """Note the keys of a dict, and whether they differ from those of others there."""
    known = found.seen[path].keys
    known.setdefault(keys, place)
    alike = len(known) == 1 and len(keys) <= MOST_KEYS and all(type(k) is str for k in keys)
    if not alike and path not in found.maps:
        found.maps.add(path)
        raise _Again


def _check_names(found: Observed, cls: type, names: tuple[str, ...], place: Place) -> None:
    others = found.classes.setdefault(cls, names)
    missing = set(names) ^ set(others)
    if missing:
        raise misfit(
            place,
            f"not all objects of {cls.__name__} have a field {min(missing)!r}",
            f"set it in {cls.__name__}.__init__, to None where there is none",
        )


def _form(kind: Kind, parts: list[Any]) -> Form:
    """What a container looks like: the classes of its parts, `None` for what may be another
    container. Of a list or a dict that is the class of all its items."""
    open_kinds = (tuple, list, dict, set, frozenset, type(None))
    classes = [None if isinstance(v, open_kinds) else type(v) for _, v, _ in parts]
    return tuple(classes) if kind.cls is tuple else tuple(sorted(set(classes), key=str))


def _compare(found: Observed, path: Path, mixed: bool = False) -> None:
    """Raise _Again if a place is one with another around it: containers of one form are at both,
    and also, `mixed`, values of another kind at this one, or containers of that form at several
    places between, or the other is one with places inside of it already."""
    here = found.seen[path]
    around = [path[:n] for n in range(1, len(path)) if path[:n] in found.seen]
    alike = [p for p in around if _are_alike(found.seen[p], here)]
    recursive = {*found.same.values()}
    known = any(p in recursive or _have_same_keys(found.seen[p], here) for p in alike)
    if not alike or not (mixed or known or len(alike) >= found.nested):
        return
    merged = [*alike[1:], path]
    of_merged = [p for p, other in found.same.items() if other in merged]
    found.same.update(dict.fromkeys([*merged, *of_merged], alike[0]))
    raise _Again


def _have_same_keys(outer: Seen, inner: Seen) -> bool:
    """Whether dicts at both places have several keys, the same ones."""
    return any(len(keys) > 1 and keys in outer.keys for keys in inner.keys)


def _are_alike(outer: Seen, inner: Seen) -> bool:
    """Whether containers of one form are at both places; dicts have the same keys, or several sets
    of keys at both places."""
    same_keys = bool(inner.keys.keys() & outer.keys.keys())
    if inner.keys and not same_keys and min(len(inner.keys), len(outer.keys)) < 2:
        return False
    return any(forms & outer.kinds.get(k, set()) for k, forms in inner.kinds.items())
