"""Operations on lists as C++ expressions."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import typed as T
from ..ir.types import BoolType, FloatType, IntType, TensorType, Type
from .cpp import atom


def word(a: T.Atom) -> str:
    """`a` as a word, what lists and records are made of."""
    return f"Word{{.{member(a.type)} = {atom(a)}}}"


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


def list_value(rhs: T.ListOp, out: T.Var, load: Callable[[str, Type], str]) -> str:
    """`len` and `get`, whose value is no list."""
    args = [atom(a) for a in rhs.args]
    if rhs.op == "len":
        return f"list_len({args[0]})"
    return load(f"list_get({args[0]}, {args[1]})", out.type)


def list_text(rhs: T.ListOp) -> str:
    """The operations that give a list."""
    args = [atom(a) for a in rhs.args]
    match rhs.op:
        case "make":
            return f"list_copy(cx, {{{', '.join(map(word, rhs.args))}}})"
        case "append":
            return f"list_append(cx, {args[0]}, {word(rhs.args[1])})"
        case "concat" | "slice" | "reverse":
            return f"list_{rhs.op}(cx, {', '.join(args)})"
        case _:
            raise AssertionError(f"{rhs.op} is no operation on lists")
