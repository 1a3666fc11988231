"""Questions about types: what they contain, and how their values may be used."""

from __future__ import annotations

from dataclasses import replace

from .types import (
    ANY,
    BOOL,
    INT,
    NONE,
    NOTHING,
    TEXT,
    BoolType,
    DataRef,
    DictType,
    FloatType,
    IntType,
    KeyedType,
    ListType,
    MemberType,
    NamedTupleType,
    NothingType,
    OptionalType,
    ParamsRef,
    RecordType,
    TensorType,
    TextType,
    TupleType,
    Type,
    UnionType,
)


def optional_of(t: Type, of_program: bool = False) -> OptionalType | None:
    """The type of a value of type `t` or None; None if there is no such type: data has unions, and
    weights are known when a model is compiled. `of_program`: the program makes the value, and what
    stands in its place, which may then be a tuple with data in it."""
    if isinstance(t, OptionalType):
        return t
    return OptionalType((BOOL, t)) if _has_values(t, of_program) else None


def _has_values(t: Type, of_program: bool) -> bool:
    """Whether some value of type `t` can be made without any input."""
    if isinstance(t, TupleType):
        return all(_has_values(i, of_program) for i in t.items)
    if isinstance(t, (DataRef, UnionType)):
        return of_program and t != NONE  # what is only None so far may become anything
    scalars = (IntType, FloatType, BoolType, TextType, MemberType)
    return isinstance(t, (*scalars, TensorType, ListType))


def may_be_key(t: Type) -> bool:
    """Whether values of type `t` may be the keys of a dict."""
    if isinstance(t, RecordType) and not t.compared:
        return False
    if isinstance(t, OptionalType):
        return may_be_key(t.item)
    if isinstance(t, ListType):  # of tuples of any length, without None in them
        return t.frozen and may_be_key(t.item) and not isinstance(t.item, (OptionalType, ListType))
    if isinstance(t, TupleType) and not isinstance(t, DictType):
        return bool(t.items) and all(map(may_be_key, t.items))
    return t in (INT, BOOL, TEXT, NOTHING) or isinstance(t, MemberType)


def has_nothing(t: Type) -> bool:
    """Whether `t` contains lists whose item type is not known."""
    if isinstance(t, ListType):
        return has_nothing(t.item)
    if isinstance(t, TupleType):
        return any(map(has_nothing, t.items))
    return isinstance(t, NothingType)


def has_no_value(t: Type) -> bool:
    """Whether no value has the type `t`: it is nothing, or a tuple with a part of such a type."""
    if isinstance(t, TupleType) and not isinstance(t, OptionalType):
        return any(map(has_no_value, t.items))
    return isinstance(t, NothingType)


def parts_in_order(t: Type) -> tuple[int, ...]:
    """The parts, by index, that `<` compares one after the other for values of a type; none if it
    compares no parts."""
    if isinstance(t, NamedTupleType) and t.order is not None:
        return t.order
    if type(t) is TupleType or type(t) is NamedTupleType:
        return tuple(range(len(t.items)))
    return ()


# A class of objects that consist of the parts of a tuple, and the names of these parts.
ClassAndNames = tuple[type, tuple[str, ...]]


def class_and_names(t: TupleType) -> ClassAndNames | None:
    """The class of the values of a type in Python, if that is no plain tuple."""
    if isinstance(t, KeyedType):
        return dict, t.keys
    return (t.cls, t.fields) if isinstance(t, NamedTupleType) else None


def nesting(t: Type) -> int:
    """How deep `t` is nested: 0 for what has no parts, 2 for list[list[int]]."""
    if isinstance(t, ListType):
        return 1 + nesting(t.item)
    return 1 + max(map(nesting, t.items), default=0) if isinstance(t, TupleType) else 0


def run_time_value(t: Type) -> bool:
    """Whether a value of type `t` may be chosen by a branch: params objects may not, because each
    operation must know its weights when the model is compiled."""
    if isinstance(t, TupleType):
        return all(map(run_time_value, t.items))
    if isinstance(t, ListType):
        return run_time_value(t.item)
    return not isinstance(t, ParamsRef)


def symbols(t: Type) -> set[str]:
    """The names of dimensions in `t`."""
    if isinstance(t, TensorType):
        return {s for d in t.dims if d != ANY for s in d.symbols}
    if isinstance(t, ListType):
        return symbols(t.item)
    return set().union(*map(symbols, t.items)) if isinstance(t, TupleType) else set()


def has_arrays(t: Type) -> bool:
    """Whether an instance has an array for a list in a value of type `t`."""
    if isinstance(t, TupleType):
        return any(map(has_arrays, t.items))
    return isinstance(t, ListType) and (t.along is not None or has_arrays(t.item))


def leaf_types(t: Type) -> tuple[Type, ...]:
    """The types of the leaves of `t`, left to right; `(t,)` if there is no tuple in it."""
    if isinstance(t, TupleType):
        return tuple(leaf for item in t.items for leaf in leaf_types(item))
    if isinstance(t, ListType):
        return tuple(replace(t, item=leaf) for leaf in leaf_types(t.item))
    return (t,)


def member_names(t: Type) -> tuple[str, ...]:
    """The names of the data types that a value of `t` may be of."""
    return t.members if isinstance(t, UnionType) else (str(t),)


def rows_of(t: Type) -> tuple[int, int]:
    """The length of a tensor's first axis, and how many elements one of its items has."""
    assert isinstance(t, TensorType)
    rows = t.dims[0].known
    assert rows is not None
    return rows, t.size // rows
