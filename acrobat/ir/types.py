"""The types of the language.

    type ::= Tensor[dims] | int | float | bool          values
           | data name | union of data names            the author's own structures (by name)
           | tuple[type, ...] | list[type]
           | nothing                                    the items of an empty list
           | params name                                the weights

Data types refer to each other by name (`DataRef`), so recursion needs no cycles in the objects;
the definitions live in the module (`ir.typed.Module.datas`). None is a data class without fields,
called `None`: `Optional["Tree"]` is the union of the members of Tree and None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..limits import ALIGN as ALIGN
from .dims import Dim


def align(floats: int) -> int:
    """`floats` rounded up to the next place where a tensor may begin."""
    return -(-floats // ALIGN) * ALIGN


@dataclass(frozen=True, slots=True)
class TensorType:
    """A float32 tensor. Rank 0: a number that is computed like a tensor; at least rank 2: rows lie
    one after the other without gaps."""

    dims: tuple[Dim, ...]
    dtype: str = "float32"

    @property
    def size(self) -> int:
        """Number of elements; ValueError if a dimension is not known."""
        total = 1
        for d in self.dims:
            if d.known is None:
                raise ValueError(f"{self} has no known size")
            total *= d.known
        return total

    @property
    def width(self) -> int:
        """Length of a vector whose dimension is known; ValueError otherwise."""
        if len(self.dims) != 1 or self.dims[0].known is None:
            raise ValueError(f"{self} is not a vector of known length")
        return self.dims[0].known

    def __str__(self) -> str:
        return "Tensor[" + ", ".join(map(str, self.dims)) + "]"


@dataclass(frozen=True, slots=True)
class IntType:
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
class ParamsRef:
    """One `@ab.params` class."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListType:
    item: Type

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True, slots=True)
class NothingType:
    """No value has it: the item type of `[]` until something else is known. Subtype of all."""

    def __str__(self) -> str:
        return "nothing"


Type = (
    TensorType
    | IntType
    | FloatType
    | BoolType
    | DataRef
    | UnionType
    | TupleType
    | ListType
    | NothingType
    | ParamsRef
)

INT, FLOAT, BOOL, NOTHING = IntType(), FloatType(), BoolType(), NothingType()
NONE = DataRef("None")


def is_subtype(sub: Type, sup: Type) -> bool:
    """Whether a value of `sub` may stand where `sup` is asked for (a member for its union)."""
    if sub == sup or isinstance(sub, NothingType):
        return True
    if isinstance(sub, ListType) and isinstance(sup, ListType):
        return is_subtype(sub.item, sup.item)
    if isinstance(sup, UnionType):
        if isinstance(sub, DataRef):
            return sub.name in sup.members
        return isinstance(sub, UnionType) and set(sub.members) <= set(sup.members)
    if isinstance(sub, TupleType) and isinstance(sup, TupleType):
        return len(sub.items) == len(sup.items) and all(
            is_subtype(a, b) for a, b in zip(sub.items, sup.items, strict=True)
        )
    return False


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that holds both, or None: what an `if` yields from two branches."""
    if is_subtype(a, b):
        return b
    if is_subtype(b, a):
        return a
    if isinstance(a, ListType) and isinstance(b, ListType):
        item = join(a.item, b.item)
        return None if item is None else ListType(item)
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.items) == len(b.items):
        items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return None if None in items else TupleType(tuple(i for i in items if i is not None))
    members: list[str] = []
    for t in (a, b):
        if isinstance(t, DataRef):
            members.append(t.name)
        elif isinstance(t, UnionType):
            members.extend(t.members)
        else:
            return None
    return UnionType(tuple(dict.fromkeys(members)))


def has_nothing(t: Type) -> bool:
    """Whether `t` has lists in it of whose items nothing is known."""
    if isinstance(t, ListType):
        return has_nothing(t.item)
    if isinstance(t, TupleType):
        return any(map(has_nothing, t.items))
    return isinstance(t, NothingType)


def nesting(t: Type) -> int:
    """How deep `t` is nested: 0 for what has no parts, 2 for list[list[int]]."""
    if isinstance(t, ListType):
        return 1 + nesting(t.item)
    return 1 + max(map(nesting, t.items), default=0) if isinstance(t, TupleType) else 0


def run_time_value(t: Type) -> bool:
    """Whether a value of type `t` may be chosen by a branch: params objects may not, for each
    operation must know its own when the model is compiled."""
    if isinstance(t, TupleType):
        return all(map(run_time_value, t.items))
    if isinstance(t, ListType):
        return run_time_value(t.item)
    return not isinstance(t, ParamsRef)


def bind(t: Type, sizes: Mapping[str, int]) -> Type:
    """Replace symbolic dimensions by numbers."""
    if isinstance(t, TensorType):
        return TensorType(tuple(d.bind(sizes) for d in t.dims), t.dtype)
    if isinstance(t, TupleType):
        return TupleType(tuple(bind(i, sizes) for i in t.items))
    if isinstance(t, ListType):
        return ListType(bind(t.item, sizes))
    return t


def leaf_types(t: Type) -> tuple[Type, ...]:
    """The types of the leaves of `t`, left to right; `(t,)` if there is no tuple in it."""
    if isinstance(t, TupleType):
        return tuple(leaf for item in t.items for leaf in leaf_types(item))
    if isinstance(t, ListType):
        return tuple(ListType(leaf) for leaf in leaf_types(t.item))
    return (t,)


def rows_of(t: Type) -> tuple[int, int]:
    """The length of a tensor's first axis, and how many elements one of its items has."""
    assert isinstance(t, TensorType)
    rows = t.dims[0].known
    assert rows is not None
    return rows, t.size // rows
