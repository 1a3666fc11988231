"""Operations on lists as C++ expressions."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import typed as T
from ..ir.host_functions import LESS
from ..ir.types import FloatType, ListType, TextType
from .cpp import atom, load, word


def list_expression(rhs: T.ListOp, out: T.Var, host_functions: Mapping[str, int]) -> str:
    """The value of an operation on lists; `out` is the variable for it, `host_functions` the
    numbers of those."""
    args = [atom(a) for a in rhs.args]
    match rhs.op:
        case "len":
            return f"list_len({args[0]})"
        case "get":
            return load(f"list_get({args[0]}, {args[1]})", out.type)
        case "get_or":
            return load(f"list_get_or({args[0]}, {args[1]}, {word(rhs.args[2])})", out.type)
        case "make":
            return f"list_copy(cx, {{{', '.join(map(word, rhs.args))}}})"
        case "append":
            return f"list_append(cx, {args[0]}, {word(rhs.args[1])})"
        case "remove":
            return f"list_remove(cx, {args[0]}, {args[1]})"
        case "set":
            return f"list_set(cx, {args[0]}, {args[1]}, {word(rhs.args[2])})"
        case "sort":
            assert isinstance(out.type, ListType)
            kind = "floats" if isinstance(out.type.item, FloatType) else "ints"
            return f"list_sort_{kind}(cx, {args[0]})"
        case "order":
            assert isinstance(rhs.args[0].type, ListType)
            if isinstance(rhs.args[0].type.item, TextType):
                return f"list_order_texts(cx, {args[0]}, {host_functions[LESS]})"
            kind = "floats" if isinstance(rhs.args[0].type.item, FloatType) else "ints"
            return f"list_order_{kind}(cx, {args[0]})"
        case "find":
            half = len(args) // 2
            keys = ", ".join(map(word, rhs.args[half:]))
            return f"list_find({{{', '.join(args[:half])}}}, {{{keys}}})"
        case "concat" | "slice" | "reverse" | "flatten":
            return f"list_{rhs.op}(cx, {', '.join(args)})"
        case _:
            raise AssertionError(f"{rhs.op} is no operation on lists")
