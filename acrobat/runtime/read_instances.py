"""Instances as Python reads them: checked, and copied, so that nothing that changes later matters.

The interpreter runs what this makes. The conversion in C++ (include/acrobat/python/convert.h) only
says that something does not fit; then this walk finds the first misfit in field order and names the
path to it. It is without recursion and runs no code of the objects' own but `__index__`: fields are
read from their slots, items from the lists themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..errors import CapacityError, InstanceError
from ..ir.typed import DataDef
from ..ir.types import DataRef, ListType, TensorType, Type, UnionType
from .place import Place
from .scalar_values import Misfit, scalar_value, shown


@dataclass(frozen=True, slots=True)
class ReadInstances:
    """Copies of the instances. An object that occurs more than once is one object in them, too;
    `shared` are the identities of these and of all that they contain."""

    instances: tuple[Any, ...]
    shared: frozenset[int]


def explain_misfit(
    instances: Sequence[Any], types: Sequence[Type], datas: Mapping[str, DataDef]
) -> NoReturn:
    """Raise the InstanceError for the first instance that does not fit."""
    read_instances(instances, types, datas)
    raise InstanceError("the instances changed while they were converted")


def read_instances(
    instances: Sequence[Any], types: Sequence[Type], datas: Mapping[str, DataDef]
) -> ReadInstances:
    """The instances of a list or tuple. InstanceError with the path to the first field that does
    not fit or contains itself; CapacityError if memory ends."""
    try:
        reader = _Reader(datas)
        made = tuple(
            reader.instance(instance, types, Place(None, i))
            for i, instance in enumerate(_items(instances))
        )
        return ReadInstances(made, reader.shared())
    except MemoryError:
        raise CapacityError("out of memory while the instances were read") from None


def _items(value: Any) -> Any:
    """The items of a list or tuple as they are now, whatever a class of its own makes of them."""
    kind = list if isinstance(value, list) else tuple
    return kind.__getitem__(value, slice(None))


@dataclass(slots=True)
class _Mention:
    """An object that was met, where, and what it became; `made` is None until it is complete."""

    object: Any
    place: Place
    made: Any = None
    again: bool = False


@dataclass(slots=True)
class _Frame:
    """Data or a list whose fields or items are being read."""

    mention: _Mention
    data: DataDef | None
    left: Iterator[tuple[str | int, Any, Type]]
    values: list[Any] = field(default_factory=list)


class _Reader:
    def __init__(self, datas: Mapping[str, DataDef]) -> None:
        self.datas = datas
        # By identity and, for a list, what its items are read as.
        self.mentions: dict[tuple[int, Type | None], _Mention] = {}

    def instance(self, instance: Any, types: Sequence[Type], place: Place) -> Any:
        """One instance; of a model with several parameters it is a tuple."""
        if len(types) == 1:
            return self.value(instance, types[0], place)
        if not isinstance(instance, tuple) or tuple.__len__(instance) != len(types):
            wanted = ", ".join(map(str, types))
            raise InstanceError(f"{place}: expected a tuple ({wanted}), got {_tuple(instance)}")
        parts = zip(_items(instance), types, strict=True)
        return tuple(self.value(part, t, Place(place, j)) for j, (part, t) in enumerate(parts))

    def value(self, value: Any, t: Type, place: Place) -> Any:
        """One value with all that it contains."""
        frames: list[_Frame] = []
        found = self._begin(value, t, place, frames)
        while frames:
            frame = frames[-1]
            step = next(frame.left, None)
            if step is None:
                found = _made(frame)
                frame.mention.made = found
                frames.pop()
            else:
                name, value, t = step
                found = self._begin(value, t, Place(frame.mention.place, name), frames)
                if frames[-1] is not frame:
                    continue
            if frames:
                frames[-1].values.append(found)
        return found

    def _begin(self, value: Any, t: Type, place: Place, frames: list[_Frame]) -> Any:
        """What becomes of a value, or nothing yet: then a frame of its own is there."""
        data: DataDef | None = None
        key: tuple[int, Type | None] = (id(value), None)
        if isinstance(t, ListType):
            if not isinstance(value, (list, tuple)):
                raise InstanceError(f"{place}: expected {t}, got {shown(value)}")
            key = (id(value), t.item)
        elif isinstance(t, (DataRef, UnionType)):
            data = self._data(value, t, place)
            if not data.fields:
                return value
        elif not isinstance(t, TensorType):
            return _scalar(value, t, place)
        known = self.mentions.get(key)
        if known is not None and not isinstance(t, TensorType):
            if known.made is None:
                raise InstanceError(f"{place} is {known.place}: a cycle, and an instance must end")
            known.again = True
            return known.made
        if isinstance(t, TensorType):
            made = _scalar(value, t, place)
            if known is not None:
                return known.made
            self.mentions[key] = _Mention(value, place, made)
            return made
        mention = self.mentions[key] = _Mention(value, place)
        left: Iterator[tuple[str | int, Any, Type]]
        if isinstance(t, ListType):
            left = _steps_of_list(value, t.item)
        else:
            assert data is not None
            left = _steps_of_data(value, data, place)
        frames.append(_Frame(mention, data, left))
        return None

    def _data(self, value: Any, t: DataRef | UnionType, place: Place) -> DataDef:
        members = t.members if isinstance(t, UnionType) else (t.name,)
        for member in members:
            if type(value) is self.datas[member].cls:
                return self.datas[member]
        wanted = " or ".join(members)
        for member in members:
            if issubclass(type(value), self.datas[member].cls):
                raise InstanceError(
                    f"{place}: expected {wanted}, got {shown(value)}, a subclass of {member}; data "
                    f"types do not inherit"
                )
        raise InstanceError(f"{place}: expected {wanted}, got {shown(value)}")

    def shared(self) -> frozenset[int]:
        """What more than one path leads to."""
        found: set[int] = set()
        work = [m.made for m in self.mentions.values() if m.again]
        while work:
            made = work.pop()
            if id(made) in found:
                continue
            found.add(id(made))
            contents = made if isinstance(made, list) else self._fields(made)
            work.extend(c for c in contents if isinstance(c, list) or self._fields(c))
        return frozenset(found)

    def _fields(self, made: Any) -> list[Any]:
        data = self.datas.get(type(made).__name__)
        if data is None or type(made) is not data.cls:
            return []
        return [getattr(made, name) for name, _ in data.fields]


def _scalar(value: Any, t: Type, place: Place) -> Any:
    try:
        return scalar_value(value, t)
    except Misfit as misfit:
        raise InstanceError(f"{place}: {misfit}") from misfit.__cause__


def _steps_of_list(value: Any, item: Type) -> Iterator[tuple[str | int, Any, Type]]:
    return ((i, v, item) for i, v in enumerate(_items(value)))


def _steps_of_data(
    value: Any, data: DataDef, place: Place
) -> Iterator[tuple[str | int, Any, Type]]:
    for name, t in data.fields:
        try:
            held = vars(data.cls)[name].__get__(value)
        except AttributeError:
            raise InstanceError(f"{place}: {data.name} has no {name}: it was never set") from None
        yield name, held, t


def _made(frame: _Frame) -> Any:
    """The copy of what a frame has read."""
    if frame.data is None:
        return frame.values
    cls = frame.data.cls
    made: Any = object.__new__(cls)
    for (name, _), value in zip(frame.data.fields, frame.values, strict=True):
        vars(cls)[name].__set__(made, value)
    return made


def _tuple(instance: Any) -> str:
    if not isinstance(instance, tuple):
        return shown(instance)
    n = tuple.__len__(instance)
    return f"a tuple of {n}"
