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
    result = function(*args)
    if type(result) is int and not -(2**63) <= result < 2**63:
        shown = "-" if op == "neg" else op
        raise InstanceError(f"the result of `{shown}` on integers does not fit into 64 bits")
    return result


def _floor_div(a: float, b: float) -> float:
    _check_divisor(a, b)
    return a // b


def _floor_mod(a: float, b: float) -> float:
    _check_divisor(a, b)
    return a % b


def _check_divisor(a: float, b: float) -> None:
    if b == 0:
        kind = "float" if isinstance(a, float) or isinstance(b, float) else "integer"
        raise InstanceError(f"{kind} division by zero")


def _true_div(a: float, b: float) -> float:
    if b == 0:
        raise InstanceError("division by zero")
    return a / b


def _int(a: float) -> int:
    if not -(2**63) <= a < 2**63:
        raise InstanceError("int() of a number that no int64 holds")
    return math.trunc(a)


def _range_length(start: int, stop: int, step: int) -> int:
    if step == 0:
        raise InstanceError("range() with step 0")
    steps, rest = divmod(stop - start, step)
    length = max(0, steps + (rest != 0))
    if length >= 2**63:
        raise InstanceError("range() of more items than an int64 counts")
    return length


def _range_item(start: int, i: int, step: int) -> int:
    return (start + i * step + 2**63) % 2**64 - 2**63


_SCALAR: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _true_div,
    "//": _floor_div,
    "%": _floor_mod,
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
    "int": _int,
    "float": float,
    "range_length": _range_length,
    "range_item": _range_item,
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
