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


def atom(a: T.Atom) -> str:
    """An atom as a C++ expression."""
    if isinstance(a, T.Var):
        return name_of(a)
    if isinstance(a.value, bool):
        return "true" if a.value else "false"
    if isinstance(a.value, int):
        return f"int64_t{{{a.value}}}"
    if math.isnan(a.value):
        return "double{NAN}"
    if math.isinf(a.value):
        return "double{INFINITY}" if a.value > 0 else "double{-INFINITY}"
    return f"double{{{a.value!r}}}"
