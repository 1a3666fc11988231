"""The params classes that stand for structures of weights for which their author has written none
(`plain_weights.py`)."""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import Any, Optional

from ..ir.dims import Dim
from .params import MARK, is_params
from .tensor import TensorHint

FORM = "__acrobat_form__"
_BASE = "__acrobat_base__"
_HINTS = "__acrobat_hints__"


class NumberedDict:
    """The form of weights in a dict whose keys are ints."""


# The forms of weights that are no objects of a class.
COLLECTIONS = (dict, NumberedDict, list)


def form_of(cls: type) -> type | None:
    """What the objects of a params class are read like: dict, NumberedDict, list, or object for one
    that stands for a plain class; None for a class that its author has declared."""
    found: type | None = vars(cls).get(FORM)
    return found


def base_of(cls: type) -> type | None:
    """The author's plain class for which a params class has been made; None if there is none."""
    found: type | None = vars(cls).get(_BASE)
    return found


def stand_ins(made: Iterable[type]) -> dict[type, type]:
    """The params classes that have been made for plain ones, one for each."""
    found: dict[type, set[type]] = {}
    for cls in made:
        base = base_of(cls)
        if base is not None:
            found.setdefault(base, set()).add(cls)
    return {base: next(iter(of)) for base, of in found.items() if len(of) == 1}


def is_made(values: Any) -> bool:
    """Whether these are weights whose class has been made here."""
    return form_of(type(values)) is not None


@dataclasses.dataclass(frozen=True, slots=True)
class Rank:
    """In place of the hint of an array whose dimensions have no names yet."""

    axes: int


@dataclasses.dataclass(frozen=True, slots=True)
class Structure:
    """What a class is made for. `base`: the plain class; `fields`: names and hints."""

    form: type
    base: type | None
    fields: tuple[tuple[str, Any], ...]


_classes: dict[Structure, type] = {}
_numbers = itertools.count()


def _class_for(structure: Structure) -> type:
    """The class for a structure, always the same one, also if threads ask at the same time."""
    known = _classes.get(structure)
    return known or _classes.setdefault(structure, _made_class(structure))


def _made_class(structure: Structure) -> type:
    name = "Weights" if structure.base is None else structure.base.__name__
    hints = {n: _with_names(h) for n, h in structure.fields}
    # A compiler's class has the methods that Python needs to run the model as it is; those of
    # dicts and lists are not looked up in it by the compiler.
    alike: dict[type, tuple[type, ...]] = {
        dict: (_LikeDict,),
        NumberedDict: (_LikeNumberedDict,),
        list: (_LikeList,),
    }
    bases = alike.get(structure.form, ())
    attributes: dict[str, Any] = {}
    if structure.form is object and structure.base is not None:
        bases = (structure.base,)
    elif structure.base is not None:
        attributes |= {
            n: f
            for n, f in vars(structure.base).items()
            if isinstance(f, types.FunctionType) and not n.startswith("_")
        }
    attributes |= {
        MARK: True,
        FORM: structure.form,
        _BASE: structure.base,
        _HINTS: hints,
        "__module__": __name__ if structure.base is None else structure.base.__module__,
        "__eq__": object.__eq__,
        "__hash__": object.__hash__,
        "__reduce__": _reduced,
        "__repr__": object.__repr__,
    }
    return types.new_class(name, bases, exec_body=lambda space: space.update(attributes))


def _with_names(hint: Any) -> Any:
    """A hint with a name of its own for each dimension: the arrays say what it stands for. Weights
    are optional, so that a test for None, which others with this structure lack, is one."""
    if isinstance(hint, Rank):
        dims = (Dim(((f"size {next(_numbers)}", 1),), 0) for _ in range(hint.axes))
        return _or_none(TensorHint(tuple(dims)))
    if isinstance(hint, Structure):
        return _or_none(_class_for(hint))
    if isinstance(hint, TensorHint) or is_params(hint):
        return _or_none(hint)
    if isinstance(hint, GenericAlias):
        items = tuple(map(_with_names, hint.__args__))
        return GenericAlias(tuple if hint.__origin__ is tuple else list, items)
    return hint


def _or_none(hint: Any) -> Any:
    return Optional[hint]  # noqa: UP045  (an object, not a type)


def make(structure: Structure, held: Mapping[str, Any]) -> Any:
    """An object of the class for a structure, with these fields."""
    made: Any = object.__new__(_class_for(structure))
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


def _reduced(self: Any) -> tuple[Any, ...]:
    """Pickled by structure, for which unpickling makes the same class."""
    cls = type(self)
    held = {name: getattr(self, name) for name in vars(cls)[_HINTS]}
    structure = next(s for s, made in _classes.items() if made is cls)
    return make, (structure, held)


class _LikeDict(Mapping[str, Any]):
    """Weights that are read by key."""

    def __getitem__(self, key: str) -> Any:
        return vars(self)[key]

    def __len__(self) -> int:
        return len(vars(self))

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))


class _LikeNumberedDict(Mapping[int, Any]):
    """Weights that are read by keys that are ints."""

    def __getitem__(self, key: int) -> Any:
        if type(key) is not int:
            raise KeyError(key)
        return vars(self)[str(key)]

    def __len__(self) -> int:
        return len(vars(self))

    def __iter__(self) -> Iterator[int]:
        return map(int, vars(self))


class _LikeList(Sequence[Any]):
    """Weights that are read by number."""

    def __getitem__(self, key: Any) -> Any:
        return tuple(vars(self).values())[key]

    def __len__(self) -> int:
        return len(vars(self))
