"""The types of the language.

    type ::= Tensor[dims] | int | float | bool          values
           | data name | union of data names            the author's own structures (by name)
           | tuple[type, ...] | list[type]
           | params name                                the weights

Data types refer to each other by name (`DataRef`), so recursion needs no cycles in the objects;
the definitions live in the module (`ir.typed.Module.datas`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .dims import Dim


@dataclass(frozen=True, slots=True)
class TensorType:
    """A float32 tensor of rank 1 or 2 (rank 2: weights only, so far)."""

    dims: tuple[Dim, ...]
    dtype: str = "float32"

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


Type = TensorType | IntType | FloatType | BoolType | DataRef | UnionType | TupleType | ParamsRef

INT, FLOAT, BOOL = IntType(), FloatType(), BoolType()


def is_subtype(sub: Type, sup: Type) -> bool:
    """Whether a value of `sub` may stand where `sup` is asked for (a member for its union)."""
    if sub == sup:
        return True
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
    members: list[str] = []
    for t in (a, b):
        if isinstance(t, DataRef):
            members.append(t.name)
        elif isinstance(t, UnionType):
            members.extend(t.members)
        else:
            return None
    return UnionType(tuple(dict.fromkeys(members)))


def run_time_value(t: Type) -> bool:
    """Whether a value of type `t` may be chosen by a branch: weights of rank 2 and params objects
    may not, for each operation must know its own when the model is compiled."""
    if isinstance(t, TupleType):
        return all(map(run_time_value, t.items))
    return not isinstance(t, ParamsRef) and not (isinstance(t, TensorType) and len(t.dims) > 1)


def bind(t: Type, sizes: Mapping[str, int]) -> Type:
    """Replace symbolic dimensions by numbers."""
    if isinstance(t, TensorType):
        return TensorType(tuple(d.bind(sizes) for d in t.dims), t.dtype)
    if isinstance(t, TupleType):
        return TupleType(tuple(bind(i, sizes) for i in t.items))
    return t
