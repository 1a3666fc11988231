"""Read instances in Python: check them, and copy them, so that later changes do not matter.

The interpreter runs these copies. The conversion in C++ (include/acrobat/python/convert.h) only
says that something does not fit; this walk then finds the first misfit in field order and names the
path to it. It does not recurse, and runs no code of the objects' own except `__index__`: fields are
read from their slots, items from the lists themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from ..errors import CapacityError, InstanceError
from ..ir.typed import DataDef
from ..ir.types import (
    DataRef,
    DictType,
    KeyedType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from .given_arrays import array_type, items_of_array
from .place import Place
from .read_tuples import (
    check_keys,
    made_dict,
    made_set,
    only_value,
    remade,
    shown_tuple,
    shown_type,
)
from .records import Columns, Record, filled, lists_of, put_together
from .related_classes import related
from .scalar_values import Misfit, scalar_value, shown


@dataclass(frozen=True, slots=True)
class ReadInstances:
    """Copies of the instances. An object that occurs more than once is one object in them, too;
    `shared` holds the identities of these objects and of everything they contain."""

    instances: tuple[Any, ...]
    shared: frozenset[int]


def explain_misfit(
    instances: Sequence[Any], types: Sequence[Type], datas: Mapping[str, DataDef]
) -> NoReturn:
    """Raise the InstanceError for the first instance that does not fit."""
    read_instances(instances, types, datas)
    raise InstanceError("the instances changed while they were converted")


def read_instances(
    instances: Sequence[Any],
    types: Sequence[Type],
    datas: Mapping[str, DataDef],
    stored: Mapping[str, type] | None = None,
) -> ReadInstances:
    """Read the instances of a list or tuple. Raises an InstanceError with the path to the first
    field that does not fit or contains itself; a CapacityError if memory runs out. With `stored`
    (`stored_classes`) they are as a program has them: each is the list of the entry's arguments."""
    try:
        reader = _Reader(datas, stored)
        made = []
        for i, instance in enumerate(_items(instances)):
            read = reader.instance(instance, types, Place(None, i))
            if stored is not None:
                parts = zip(read if len(types) > 1 else (read,), types, strict=True)
                read = [leaf for part, t in parts for leaf in reader.columns.leaves(part, t)]
            made.append(read)
        return ReadInstances(tuple(made), reader.shared())
    except MemoryError:
        raise CapacityError("out of memory while the instances were read") from None


def _items(value: Any) -> Any:
    """Return the items that a list or tuple has now, whatever methods its class overrides."""
    kind = list if isinstance(value, list) else tuple
    return kind.__getitem__(value, slice(None))


@dataclass(slots=True)
class _Mention:
    """An object that was met, its place, and what it became: `made`, None until it is complete."""

    object: Any
    place: Place
    made: Any = None
    again: bool = False


@dataclass(slots=True)
class _Frame:
    """Data, a list or a tuple whose fields, items or parts are being read. `made` puts them
    together."""

    mention: _Mention
    made: Callable[[list[Any]], Any]
    left: Iterator[tuple[str | int, Any, Type]]
    values: list[Any] = field(default_factory=list)


class _Reader:
    def __init__(self, datas: Mapping[str, DataDef], stored: Mapping[str, type] | None) -> None:
        self.datas, self.stored = datas, stored
        self.columns = Columns()
        # By identity and, for a list, the type that its items are read as.
        self.mentions: dict[tuple[int, Type | None], _Mention] = {}

    def instance(self, instance: Any, types: Sequence[Type], place: Place) -> Any:
        """Read one instance; for a model with several parameters it is a tuple."""
        if len(types) == 1:
            return self.value(instance, types[0], place)
        if not isinstance(instance, tuple) or tuple.__len__(instance) != len(types):
            wanted = ", ".join(map(str, types))
            raise InstanceError(
                f"{place}: expected a tuple ({wanted}), got {shown_tuple(instance)}"
            )
        parts = zip(_items(instance), types, strict=True)
        return tuple(self.value(part, t, Place(place, j)) for j, (part, t) in enumerate(parts))

    def value(self, value: Any, t: Type, place: Place) -> Any:
        """Read one value with everything it contains."""
        frames: list[_Frame] = []
        found = self._begin(value, t, place, frames)
        while frames:
            frame = frames[-1]
            step = next(frame.left, None)
            if step is None:
                found = frame.mention.made = frame.made(frame.values)
                frames.pop()
            else:
                name, value, t = step
                place = frame.mention.place
                found = self._begin(value, t, Place(place, name) if name != "" else place, frames)
                if frames[-1] is not frame:
                    continue
            if frames:
                frames[-1].values.append(found)
        return found

    def _begin(self, value: Any, t: Type, place: Place, frames: list[_Frame]) -> Any:
        """Return what becomes of a value, or push a frame that will make it, and return None."""
        steps: Iterator[tuple[str | int, Any, Type]]
        data: DataDef | None = None
        key: tuple[int, Type | None] = (id(value), None)
        if isinstance(t, OptionalType):
            return None if value is None else self._begin(value, t.item, place, frames)
        if isinstance(t, DictType):
            kinds = (set, frozenset) if isinstance(t, SetType) else dict
            if not isinstance(value, kinds):
                raise InstanceError(f"{place}: expected {t}, got {shown(value)}")
            names = ("keys()", "values()")
            parts = zip(names, lists_of(value), t.items, strict=True)
            made = made_set if isinstance(t, SetType) else made_dict
            frames.append(_Frame(_Mention(value, place), made, iter(parts)))
            return None
        if isinstance(t, KeyedType):
            check_keys(value, t, place)
            parts = zip(t.keys, value.values(), t.items, strict=True)
            steps = ((f"[{k!r}]", v, p) for k, v, p in parts)
            frames.append(_Frame(_Mention(value, place), partial(put_together, t), steps))
            return None
        if isinstance(t, TupleType):
            if not isinstance(value, tuple) or tuple.__len__(value) != len(t.items):
                raise InstanceError(f"{place}: expected {shown_type(t)}, got {shown_tuple(value)}")
            steps = ((i, v, p) for i, (v, p) in enumerate(zip(_items(value), t.items, strict=True)))
            frames.append(_Frame(_Mention(value, place), remade(value), steps))
            return None
        if isinstance(t, ListType) and t.along is not None:
            return self._array(value, t, place)
        if isinstance(t, ListType):
            if not isinstance(value, (list, tuple)):
                raise InstanceError(f"{place}: expected {t}, got {shown(value)}")
            key = (id(value), t.item)
        elif isinstance(t, (DataRef, UnionType)):
            data = self._data(value, t, place)
            if not data.fields:
                return value
            only = data.given[0][1]
            if data.raw and not isinstance(only, (TupleType, ListType)):
                # Equal numbers and strings are one object or several, as it happens.
                return self._maker(data)([_scalar(value, only, place)])
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
        if isinstance(t, ListType):
            frames.append(_Frame(mention, list, _steps_of_list(value, t.item)))
        else:
            assert data is not None
            frames.append(_Frame(mention, self._maker(data), _steps_of_data(value, data, place)))
        return None

    def _array(self, value: Any, t: ListType, place: Place) -> Any:
        """Return a copy of an array that a list is given as: the list, as a program has it."""
        if (key := (id(value), t.item)) not in self.mentions:
            whole = _scalar(value, array_type(value, t), place)
            made = whole if self.stored is None else items_of_array(whole, t)
            self.mentions[key] = _Mention(value, place, made)
        return self.mentions[key].made

    def _maker(self, data: DataDef) -> Callable[[list[Any]], Any]:
        """Return a function that makes an object of a data type from the values of its fields."""
        if self.stored is None:
            return only_value if data.raw else partial(filled, data)
        cls = self.stored[data.name]
        if not issubclass(cls, Record):
            return partial(filled, data)

        def record(values: list[Any]) -> Any:
            parts = zip(values, data.given, strict=True)
            return cls(*(leaf for v, (_, t) in parts for leaf in self.columns.leaves(v, t)))

        return record

    def _data(self, value: Any, t: DataRef | UnionType, place: Place) -> DataDef:
        members = t.members if isinstance(t, UnionType) else (t.name,)
        found = [self.datas[m] for m in members if type(value) is self.datas[m].cls]
        if len(found) > 1:  # tuples, which differ in their lengths
            found = [d for d in found if d.length == len(value)]
        if found:
            return found[0]
        wanted = " or ".join(members)
        instead = related(value, members, self.datas)
        raise InstanceError(f"{place}: expected {wanted}, got {shown_tuple(value)}{instead}")

    def shared(self) -> frozenset[int]:
        """Return the identities of everything that several paths lead to."""
        found: set[int] = set()
        work = [m.made for m in self.mentions.values() if m.again]
        while work:
            made = work.pop()
            if id(made) in found:
                continue
            found.add(id(made))
            contents = self._contents(made)
            work.extend(c for c in contents if isinstance(c, (list, tuple)) or self._contents(c))
        return frozenset(found)

    def _contents(self, made: Any) -> Sequence[Any]:
        if isinstance(made, list):
            return [*made, *self.columns.of(made)]
        if isinstance(made, tuple):
            return made
        if isinstance(made, Record):
            return list(vars(made).values())
        data = self.datas.get(type(made).__name__)
        if data is None or data.raw or type(made) is not data.cls:
            return []
        return [getattr(made, name) for name, _ in data.given]


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
    for name, t in data.given:
        if data.raw:
            yield "", value, t
            continue
        try:
            held = object.__getattribute__(value, name)
        except AttributeError:
            raise InstanceError(f"{place}: {data.name} has no {name}: it was never set") from None
        yield name, held, t
