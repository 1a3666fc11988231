"""What the interpreter computes itself: operations on numbers, truth values and lists, with the
errors of the compiled program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import AcrobatError, InstanceError


def scalar(op: str, args: Sequence[Any]) -> Any:
    """Arithmetic on numbers and truth values."""
    function = _SCALAR.get(op)
    if function is None:
        raise AcrobatError(f"there is no operation {op!r} on numbers")
    try:
        return function(*args)
    except ZeroDivisionError as error:
        raise InstanceError(str(error)) from None


_SCALAR: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "neg": lambda a: -a,
    "min": min,
    "max": max,
    "abs": abs,
    "int": math.trunc,
    "float": float,
    "is_none": lambda a: a is None,
}


def list_op(op: str, args: Sequence[Any]) -> Any:
    """An operation on lists; none changes its operands."""
    match op:
        case "make":
            return list(args)
        case "append":
            return [*args[0], args[1]]
        case "concat":
            return [*args[0], *args[1]]
        case "len":
            return len(args[0])
        case "slice":
            return list(args[0][args[1] : args[2]])
        case "reverse":
            return list(reversed(args[0]))
        case "get":
            items, i = args
            if not -len(items) <= i < len(items):
                count = f"{len(items)} item{'' if len(items) == 1 else 's'}"
                raise InstanceError(f"list index {i} is out of range: the list has {count}")
            return items[i]
    raise AcrobatError(f"there is no operation {op!r} on lists")
