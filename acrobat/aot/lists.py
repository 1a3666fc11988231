"""Operations on lists as C++ expressions."""

from __future__ import annotations

from ..ir import typed as T
from .cpp import atom, load, word


def list_expression(rhs: T.ListOp, out: T.Var) -> str:
    """The value of an operation on lists, `out`."""
    args = [atom(a) for a in rhs.args]
    match rhs.op:
        case "len":
            return f"list_len({args[0]})"
        case "get":
            return load(f"list_get({args[0]}, {args[1]})", out.type)
        case "make":
            return f"list_copy(cx, {{{', '.join(map(word, rhs.args))}}})"
        case "append":
            return f"list_append(cx, {args[0]}, {word(rhs.args[1])})"
        case "concat" | "slice" | "reverse":
            return f"list_{rhs.op}(cx, {', '.join(args)})"
        case _:
            raise AssertionError(f"{rhs.op} is no operation on lists")
