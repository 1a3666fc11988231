"""The types of the language.

    type ::= Tensor[dims] | int | float | bool | str    values
           | data name | union of data names            the author's own structures (by name)
           | tuple[type, ...] | list[type]
           | nothing                                    the items of an empty list
           | params name                                the weights

Data types refer to each other by name (`DataRef`), so recursion needs no cycles in the objects;
the definitions live in the module (`ir.typed.Module.datas`). None is a data class without fields,
called `None`: `Optional["Tree"]` is the union of the members of Tree and None.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from ..limits import ALIGN as ALIGN
from .tensor_types import ANY as ANY
from .tensor_types import RowsType as RowsType
from .tensor_types import StackType as StackType
from .tensor_types import TensorType as TensorType


def align(floats: int) -> int:
    """`floats` rounded up to the next place where a tensor may begin."""
    return -(-floats // ALIGN) * ALIGN


@dataclass(frozen=True, slots=True)
class IntType:
    """`of_members`: where it comes from, hints say that it is a member of an enumeration of ints.
    Types are equal all the same, so this may get lost, and is no more than a hint."""

    of_members: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return "int"


@dataclass(frozen=True, slots=True)
class FloatType:
    def __str__(self) -> str:
        return "float"


@dataclass(frozen=True, slots=True)
class BoolType:
    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class MemberType:
    """A member of the enumeration `cls`, whose members are not numbers or strings themselves.
    Programs keep its position among them."""

    name: str
    cls: type[enum.Enum]

    def __str__(self) -> str:
        return self.name

    @property
    def members(self) -> tuple[enum.Enum, ...]:
        """In the order of their definition, each once."""
        return tuple(self.cls)


@dataclass(frozen=True, slots=True)
class TextType:
    """A string. A model compares it and passes it on; after the front end it is a number, the same
    for equal strings of a mini-batch. `of_members` as for ints."""

    of_members: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return "str"


@dataclass(frozen=True, slots=True)
class DataRef:
    """One `@ab.data` class."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class UnionType:
    """A union of `@ab.data` classes; `members` in the order of declaration."""

    members: tuple[str, ...]

    def __str__(self) -> str:
        return " | ".join(self.members)


@dataclass(frozen=True, slots=True)
class TupleType:
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return "tuple[" + ", ".join(map(str, self.items)) + "]"


@dataclass(frozen=True, slots=True)
class OptionalType(TupleType):
    """A value that may be None and is not data: a truth value, whether it is there, and the value,
    which is arbitrary if it is not. After the front end it is a tuple like any other."""

    @property
    def item(self) -> Type:
        """The type of the value if it is there."""
        return self.items[1]

    def __str__(self) -> str:
        return f"{self.items[1]} | None"


@dataclass(frozen=True, slots=True)
class NamedTupleType(TupleType):
    """A `NamedTuple` class of the author's: a tuple whose parts have names. `order`: the
    parts that `a < b` compares, one after the other; None for all of them. `cls`: the class of such
    a value in Python."""

    name: str
    fields: tuple[str, ...]
    order: tuple[int, ...] | None = field(default=None, kw_only=True)
    cls: type = field(kw_only=True)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RecordType(NamedTupleType):
    """A class of the author's without `@ab.data`: its values have parts by name alone. `compared`:
    two are equal if their parts are; otherwise if they are one object."""

    compared: bool

    __str__ = NamedTupleType.__str__


@dataclass(frozen=True, slots=True)
class DictType(TupleType):
    """A dict: the list of its keys, and the list of their values. After the front end it is a tuple
    like any other."""

    def __str__(self) -> str:
        keys, values = self.items
        assert isinstance(keys, ListType) and isinstance(values, ListType)
        return f"dict[{keys.item}, {values.item}]"


@dataclass(frozen=True, slots=True)
class SetType(DictType):
    """A set: a dict whose values, truth values, are not read. `frozen`: a frozenset."""

    frozen: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        keys = self.items[0]
        assert isinstance(keys, ListType)
        return f"{'frozenset' if self.frozen else 'set'}[{keys.item}]"


@dataclass(frozen=True, slots=True)
class QueueType(DictType):
    """A deque: in place of the keys, a list with its `maxlen`, if it is `bounded`; and the list of
    its items, in place of the values."""

    bounded: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        values = self.items[1]
        assert isinstance(values, ListType)
        return f"deque[{values.item}]" + " with a maxlen" * self.bounded


@dataclass(frozen=True, slots=True)
class DefaultDictType(DictType):
    """A dict with a value for missing keys, outside of the function that made it: it is only read
    there. `counts`: a Counter."""

    counts: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        keys, values = self.items
        assert isinstance(keys, ListType) and isinstance(values, ListType)
        types = f"{keys.item}" if self.counts else f"{keys.item}, {values.item}"
        return f"{'Counter' if self.counts else 'defaultdict'}[{types}]"


@dataclass(frozen=True, slots=True)
class KeyedType(TupleType):
    """A dict of weights, or of values of several types: its keys are known when the model is
    compiled, and their values are the parts of a tuple."""

    keys: tuple[Any, ...]  # strings, or of weights also ints

    @property
    def key(self) -> Type:
        """The type of the keys."""
        return INT if self.keys and isinstance(self.keys[0], int) else TEXT

    def __str__(self) -> str:
        pairs = zip(self.keys, self.items, strict=True)
        return "dict[" + ", ".join(f"{k!r}: {t}" for k, t in pairs) + "]"


# Types that are not tuples in the language, though they are represented as tuples.
NO_TUPLES = (OptionalType, DictType, KeyedType, RecordType)


@dataclass(frozen=True, slots=True)
class ParamsRef:
    """One `@ab.params` class."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListType:
    """A list. `frozen`: `tuple[int, ...]` in plain Python, which decides what a result becomes and
    nothing else: the two are one type. So are lists that instances have as arrays: `along` is then
    the axis along which the items are, -1 or 0."""

    item: Type
    frozen: bool = field(default=False, compare=False, kw_only=True)
    along: int | None = field(default=None, compare=False, kw_only=True)

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True, slots=True)
class IntArrayType(ListType):
    """A list of ints that plain Python has as an array, `np.argsort(x)`, or may have as one: some
    operations mean something else for it. After the front end it is a list like any other."""

    def __str__(self) -> str:
        return f"array[{self.item}]"


@dataclass(frozen=True, slots=True)
class NothingType:
    """The item type of `[]` until more is known: no value has it. A subtype of all types."""

    def __str__(self) -> str:
        return "nothing"


Type = (
    TensorType
    | IntType
    | FloatType
    | BoolType
    | MemberType
    | TextType
    | DataRef
    | UnionType
    | TupleType
    | ListType
    | NothingType
    | ParamsRef
)

INT, FLOAT, BOOL, NOTHING = IntType(), FloatType(), BoolType(), NothingType()
TEXT = TextType()
NONE = DataRef("None")
