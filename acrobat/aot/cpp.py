"""Variables, types and atoms of the batched IR as C++ text."""

from __future__ import annotations

from typing import Any

from ..ir import typed as T
from ..ir.types import (
    BoolType,
    FloatType,
    IntType,
    MemberType,
    TensorType,
    TextType,
    Type,
)
from .identifiers import identifier
from .literals import boolean, floating, integer

_CPP = {
    IntType: "int64_t",
    FloatType: "double",
    BoolType: "bool",
    TextType: "int64_t",
    MemberType: "int64_t",
    TensorType: "Handle",
}


def cpp_type(t: Type) -> str:
    """The C++ type of a value of type `t`."""
    return _CPP.get(type(t), "const Word*")


def name_of(var: T.Var) -> str:
    """A variable's identifier."""
    return identifier("v", var.number, var.name)


def variable(var: T.Var) -> str:
    """The beginning of a variable's definition; the variable may stay unused."""
    return f"[[maybe_unused]] {cpp_type(var.type)} {name_of(var)}"


def atom(a: T.Atom) -> str:
    """An atom as a C++ expression."""
    if isinstance(a, T.Var):
        return name_of(a)
    match a.type:
        case BoolType():
            return boolean(bool(a.value))
        case IntType() | MemberType():
            return integer(int(a.value))
        case TextType():
            text: Any = a.value
            return integer(text.number)
        case _:
            return floating(float(a.value))


def member(t: Type) -> str:
    """The member of `union Word` that holds a value of type `t`."""
    match t:
        case IntType() | BoolType() | TextType() | MemberType():
            return "i"
        case FloatType():
            return "f"
        case TensorType():
            return "h"
        case _:
            return "p"


def word(a: T.Atom) -> str:
    """`a` as a word, the unit that lists and data consist of."""
    return f"Word{{.{member(a.type)} = {atom(a)}}}"


def load(expression: str, t: Type) -> str:
    """The value of type `t` that a word holds."""
    held = f"{expression}.{member(t)}"
    return f"{held} != 0" if isinstance(t, BoolType) else held


def store(expression: str, t: Type, value: str) -> str:
    """The statement that puts a value of type `t` into a word."""
    return f"{expression}.{member(t)} = {value};"
