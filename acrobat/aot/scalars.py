"""Arithmetic on numbers as C++ expressions, with Python's meaning."""

from __future__ import annotations

from ..ir import typed as T
from ..ir.types import FloatType
from .cpp import atom, cpp_type

_FUNCTIONS = {"//": "floor_div", "%": "floor_mod", "/": "true_div"}
_INFIX = {"and": "&&", "or": "||"}


def scalar_expression(op: str, args: tuple[T.Atom, ...], out: T.Var, none: int) -> str:
    """The value of `typed.Scalar`; `none` is the tag of None."""
    texts = [atom(a) for a in args]
    kind = cpp_type(out.type)
    if op == "is_none":
        return f"{texts[0]}[0].i == {none}"
    if op == "not":
        return f"!{texts[0]}"
    if op == "neg":
        return f"-{texts[0]}"
    if op == "abs":
        return f"std::abs({texts[0]})"
    if op in ("min", "max"):
        # Both keep the first of equals, as Python does.
        return f"std::{op}({{{', '.join(f'{kind}({text})' for text in texts)}}})"
    if op == "int":
        return f"to_int({texts[0]})" if isinstance(args[0].type, FloatType) else texts[0]
    if op == "float":
        return f"static_cast<double>({texts[0]})"
    if op in _FUNCTIONS:
        floats = any(isinstance(a.type, FloatType) for a in args)
        name = f"float_{_FUNCTIONS[op]}" if floats and op != "/" else _FUNCTIONS[op]
        return f"{name}({texts[0]}, {texts[1]})"
    return f"{texts[0]} {_INFIX.get(op, op)} {texts[1]}"
