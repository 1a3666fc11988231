"""The hints that stand for what examples have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import GenericAlias, NoneType
from typing import Any, Union

import numpy as np

from ..errors import InstanceError
from ..frontend.open_hints import leaves_open
from ..ir.dims import Dim
from ..ir.types import ANY
from ..lang.hints import Keyed, Recursive, UnreadableHint, resolve_class_hints
from ..lang.tensor import TensorHint
from ..runtime.read_tuples import keys_text
from .kinds import EmptyError, Kind, misfit, shown_place
from .observed import Observed, Path, Seen


class Hints:
    """The hints of the places of examples. `sizes`: those of the dimensions that the weights name,
    which become the dimensions of arrays of these sizes."""

    def __init__(self, found: Observed, sizes: Mapping[str, int]) -> None:
        self._found = found
        names: dict[int, list[str]] = {}
        for name, size in sizes.items():
            if name.isidentifier():  # one that the author has written
                names.setdefault(size, []).append(name)
        # Where names stand for the same number, the number decides which of them is meant.
        self._names = {size: of[0] for size, of in names.items() if len(of) == 1}
        self._known: dict[Path, Any] = {}
        self._open: dict[Path, Recursive] = {}

    def of(self, path: Path) -> Any:
        """The hint of a place; InstanceError if no hint stands for what is there."""
        path = self._found.same.get(path, path)
        if path in self._known:
            return self._known[path]
        if path in self._open:
            self._open[path].name = _name_of(path)
            return self._open[path]
        recursive = self._open[path] = Recursive(path)
        try:
            recursive.of = self._union(path, self._found.seen[path])
        finally:
            del self._open[path]
        made = self._known[path] = recursive if recursive.name else recursive.of
        return made

    def fields(self, cls: type) -> tuple[tuple[str, Any], ...] | None:
        """The fields of a class, with a hint for each; None if their own hints say everything."""
        names, declared = self._found.classes[cls], declared_hints(cls)
        if declared.keys() >= set(names):
            return None
        return tuple((n, declared[n] if n in declared else self.of((cls, n))) for n in names)

    def _union(self, path: Path, seen: Seen) -> Any:
        if [*seen.kinds] == [Kind(NoneType)] and isinstance(path[0], str):
            instead = "give one in which it is something else"
            raise misfit(seen.first, "None in all examples", instead)
        tuples = [k for k in seen.kinds if k.cls is tuple]
        hints = [self._of_kind(path, seen, k) for k in seen.kinds if k not in tuples]
        hints += self._of_tuples(path, seen, tuples)
        return Union[tuple(hints)]  # noqa: UP007  (of objects that are no types)

    def _of_kind(self, path: Path, seen: Seen, kind: Kind) -> Any:
        if kind.cls is np.ndarray:
            return self._of_arrays(seen)
        if not kind.is_container:
            return kind.cls
        if kind.cls is dict and path not in self._found.maps:
            return self._keyed(path, seen, kind)
        parts = ("key", "value") if kind.cls is dict else ("item",)
        inside = [self._found.inside(path, kind, p) for p in parts]
        if kind.cls is dict:
            self._check_map(path, seen, kind)
        if not all(p in self._found.seen for p in inside):
            raise _empty(seen, kind.cls.__name__)
        hints = tuple(map(self.of, inside))
        return GenericAlias(kind.cls, hints)

    def _keyed(self, path: Path, seen: Seen, kind: Kind) -> Any:
        """The hint of dicts with the same keys in all examples: of any keys, if all their values
        are of one type."""
        hints: dict[str, Any] = {}
        empty: EmptyError | None = None
        for key in next(iter(seen.keys)):
            try:
                hints[key] = self.of(self._found.inside(path, kind, key))
            except EmptyError as error:
                empty = error
        if len({*hints.values()}) == 1:
            return dict[str, next(iter(hints.values()))]  # type: ignore[misc]
        if empty is not None or not hints:
            raise empty or _empty(seen, "dict")
        return Keyed(tuple(hints.items()))

    def _check_map(self, path: Path, seen: Seen, kind: Kind) -> None:
        """InstanceError for dicts that differ in their keys and have values of several types."""
        values = self._found.at(self._found.inside(path, kind, "value"))
        if values is None or len(values.kinds.keys() - {Kind(NoneType)}) == 1:
            return
        (keys, first), *others = seen.keys.items()
        if others:
            (other, at), *_ = others
            raise misfit(
                at,
                f"a dict with {keys_text(other)}, and {shown_place(first)} has {keys_text(keys)}",
                "the same keys in the same order, as their values are of several types",
            )

    def _of_tuples(self, path: Path, seen: Seen, kinds: list[Kind]) -> list[Any]:
        """Tuples of several lengths are like lists if all their parts have one type; otherwise the
        length says which they are."""
        whole = [
            tuple(self.of(self._found.inside(path, k, i)) for i in range(k.length)) for k in kinds
        ]
        if not any(whole) and kinds:
            raise _empty(seen, "tuple")
        items = list(dict.fromkeys(hint for hints in whole for hint in hints))
        if len(kinds) > 1 and (len(items) == 1 or () in whole):
            return [tuple.__class_getitem__((Union[tuple(items)], ...))]  # noqa: UP007
        return [tuple.__class_getitem__(hints) for hints in whole]

    def _of_arrays(self, seen: Seen) -> TensorHint:
        (shape, place), *others = seen.shapes.items()
        for other, at in others:
            if len(other) != len(shape):
                raise misfit(
                    at,
                    f"an array of shape {other}, and {shown_place(place)} has shape {shape}",
                    "arrays of one rank",
                )
        sizes = [set(axis) for axis in zip(*seen.shapes, strict=True)]
        return TensorHint(tuple(map(self._dim, sizes)))

    def _dim(self, sizes: set[int]) -> Dim:
        """A dimension of arrays that have these sizes there; an array without elements shows that
        there may be any number."""
        if len(sizes) > 1 or 0 in sizes:
            return ANY
        (size,) = sizes
        return Dim.of(self._names.get(size, size))


def _empty(seen: Seen, name: str) -> EmptyError:
    place = shown_place(seen.first)
    return EmptyError(
        f"{place}: a {name} that is empty in all examples; give one with items, or a hint"
    )


def declared_hints(cls: type) -> dict[str, Any]:
    """The hints of a class's own that are complete types."""
    if not dataclasses.is_dataclass(cls) and not hasattr(cls, "_fields"):
        return {}
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint as error:
        raise InstanceError(f"examples: {error}") from error
    return {n: h for n, h in hints.items() if not leaves_open(h)}


def _name_of(path: Path) -> str:
    """What to call the type of a place, which mentions itself."""
    name = next(p for p in reversed(path) if isinstance(p, str))
    return name.title().replace("_", "")
