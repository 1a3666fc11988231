"""Arithmetic on numbers as C++ expressions, with Python's meaning."""

from __future__ import annotations

from ..ir import typed as T
from ..ir.types import FloatType, IntType
from .cpp import atom, cpp_type

_FUNCTIONS = {"//": "floor_div", "%": "floor_mod", "/": "true_div"}
_CHECKED = {
    "+": "checked_add",
    "-": "checked_sub",
    "*": "checked_mul",
    "neg": "checked_neg",
    "abs": "checked_abs",
}
_INFIX = {"and": "&&", "or": "||"}
_BITS = {"<<": "shift_left", ">>": "shift_right"}
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")
_EXACT = 2**53  # a double holds every integer up to here


def scalar_expression(op: str, args: tuple[T.Atom, ...], out: T.Var, none: int) -> str:
    """The value of `typed.Scalar`; `none` is the tag of None."""
    texts = [atom(a) for a in args]
    kind = cpp_type(out.type)
    if op == "is_none":
        return f"tag_of({texts[0]}) == {none}"
    if op == "not":
        return f"!{texts[0]}"
    if op in _CHECKED and isinstance(out.type, IntType):
        return f"{_CHECKED[op]}({', '.join(texts)})"
    if op == "neg":
        return f"-{texts[0]}"
    if op == "abs":
        return f"std::abs({texts[0]})"
    if op in ("min", "max"):
        # Both keep the first of equals, as Python does.
        return f"std::{op}({{{', '.join(f'{kind}({text})' for text in texts)}}})"
    if op == "int":
        floating = isinstance(args[0].type, FloatType)
        return f"to_int({texts[0]})" if floating else f"static_cast<int64_t>({texts[0]})"
    if op == "float":
        return f"static_cast<double>({texts[0]})"
    if op == "invert":
        return f"~{texts[0]}"
    if op == "**":
        name = "int_pow" if isinstance(out.type, IntType) else "float_pow"
        return f"{name}({', '.join(_as(kind, text) for text in texts)})"
    if op == "round":
        return f"round_whole({texts[0]})" if len(texts) == 1 else f"round_to({', '.join(texts)})"
    if op.startswith("math."):
        return f"math_{op[5:]}({', '.join(_as('double', text) for text in texts)})"
    if op in _BITS:
        return f"{_BITS[op]}({', '.join(texts)})"
    if op == "range_length":
        return f"range_count({', '.join(texts)})"
    if op == "range_item":
        return f"range_item({', '.join(texts)})"
    if op in _FUNCTIONS:
        floats = any(isinstance(a.type, FloatType) for a in args)
        name = _FUNCTIONS[op]
        if op == "/":
            name = name if floats else f"int_{name}"
        elif floats:
            name = f"float_{name}"
        return f"{name}({texts[0]}, {texts[1]})"
    if op in _COMPARED:
        return _comparison(op, args, texts)
    return f"{texts[0]} {_INFIX.get(op, op)} {texts[1]}"


def _as(kind: str, text: str) -> str:
    return f"static_cast<{kind}>({text})"


def _comparison(op: str, args: tuple[T.Atom, ...], texts: list[str]) -> str:
    """Compare an int and a float exactly: rounded to a double, the int might equal another one."""
    match [_rounded(a) for a in args], [isinstance(a.type, FloatType) for a in args]:
        case [True, _], [_, True]:
            return f"compare({texts[0]}, {texts[1]}) {op} 0"
        case [_, True], [True, _]:
            return f"0 {op} compare({texts[1]}, {texts[0]})"
    return f"{texts[0]} {op} {texts[1]}"


def _rounded(a: T.Atom) -> bool:
    """Whether `a` is an int that a double may not hold exactly."""
    if not isinstance(a.type, IntType):
        return False
    return not isinstance(a, T.Const) or abs(int(a.value)) > _EXACT
