"""Names, types and atoms of the batched IR as C++ text."""

from __future__ import annotations

import math

from ..ir import typed as T
from ..ir.types import BoolType, FloatType, IntType, TensorType, Type

_CPP = {IntType: "int64_t", FloatType: "double", BoolType: "bool", TensorType: "Handle"}


def cpp_type(t: Type) -> str:
    """The C++ type of a value of type `t`."""
    return _CPP.get(type(t), "const Word*")


def name_of(var: T.Var) -> str:
    """A C++ identifier: the author's name and the variable's number. Nothing else that is generated
    ends so: a variable may be named `count`, and a copy of the function `run` is `run_2`."""
    return f"{var.name}_{var.number}v"


def variable(var: T.Var) -> str:
    """The beginning of the definition of a variable, which may go unused."""
    return f"[[maybe_unused]] {cpp_type(var.type)} {name_of(var)}"


def boolean(value: bool) -> str:
    """A truth value as C++."""
    return "true" if value else "false"


def atom(a: T.Atom) -> str:
    """An atom as a C++ expression."""
    if isinstance(a, T.Var):
        return name_of(a)
    if isinstance(a.value, bool):
        return boolean(a.value)
    if isinstance(a.value, int):
        return f"int64_t{{{a.value}}}"
    if math.isnan(a.value):
        return "double{NAN}"
    if math.isinf(a.value):
        return "double{INFINITY}" if a.value > 0 else "double{-INFINITY}"
    return f"double{{{a.value!r}}}"


def member(t: Type) -> str:
    """The member of `union Word` that holds a value of type `t`."""
    match t:
        case IntType() | BoolType():
            return "i"
        case FloatType():
            return "f"
        case TensorType():
            return "h"
        case _:
            return "p"


def word(a: T.Atom) -> str:
    """`a` as a word, what lists and data are made of."""
    return f"Word{{.{member(a.type)} = {atom(a)}}}"


def load(expression: str, t: Type) -> str:
    """The value of type `t` that a word holds."""
    held = f"{expression}.{member(t)}"
    return f"{held} != 0" if isinstance(t, BoolType) else held


def store(expression: str, t: Type, value: str) -> str:
    """The statement that puts a value of type `t` into a word."""
    return f"{expression}.{member(t)} = {value};"
