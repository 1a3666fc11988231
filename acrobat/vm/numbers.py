"""The operations that the interpreter computes itself, those on numbers, truth values and lists,
with the errors of the compiled program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import AcrobatError, InstanceError
from ..ir.mathematics import compute


def scalar(op: str, args: Sequence[Any]) -> Any:
    """Return the result of an operation on numbers and truth values."""
    if op.startswith("math."):
        try:
            return compute(op[5:], list(args))
        except ArithmeticError as error:
            raise InstanceError(str(error)) from None
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


def _power(a: float, b: float) -> float:
    if isinstance(a, int) and isinstance(b, int):
        if b < 0:
            raise InstanceError("a negative power of an int is a float: `float(n) ** m`")
        return a**b if abs(a) < 2 or b < 64 else 2**64  # like a**b, it does not fit into an int64
    try:
        result: float | complex = float(a) ** float(b)
    except ZeroDivisionError:
        raise InstanceError("0.0 to a negative power") from None
    except OverflowError:
        raise InstanceError("the result of `**` is too large for a float") from None
    if isinstance(result, complex):
        raise InstanceError("a negative number to a fractional power is complex")
    return result


def _shift_left(a: int, bits: int) -> int:
    if bits < 0:
        raise InstanceError("negative shift count")
    return a << min(bits, 64)


def _shift_right(a: int, bits: int) -> int:
    if bits < 0:
        raise InstanceError("negative shift count")
    return a >> min(bits, 64)


def _round(a: float, *digits: int) -> float:
    if digits:
        return round(a, *digits)
    return _int(float(round(a))) if math.isfinite(a) else _int(a)


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
    "**": _power,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": _shift_left,
    ">>": _shift_right,
    "invert": lambda a: ~a,
    "round": _round,
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
    """Return the result of an operation on lists, none of which changes its operands."""
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
        case "sort":
            return sorted(args[0], key=lambda x: (x != x, x))
        case "order":
            return sorted(range(len(args[0])), key=lambda i: (args[0][i] != args[0][i], args[0][i]))
        case "find":
            half = len(args) // 2
            rows = zip(*args[:half], strict=True)
            return next((i for i, row in enumerate(rows) if row == tuple(args[half:])), -1)
        case "get":
            return args[0][_place(args[0], args[1])]
        case "get_or":
            return args[0][args[1]] if args[1] < len(args[0]) else args[2]
        case "flatten":
            return [item for items in args[0] for item in items]
        case "remove":
            at = _place(args[0], args[1]) % len(args[0])
            return [*args[0][:at], *args[0][at + 1 :]]
        case "set":
            items, i, item = args
            changed = list(items)
            changed[_place(items, i)] = item
            return changed
    raise AcrobatError(f"there is no operation {op!r} on lists")


def _place(items: Sequence[Any], i: int) -> int:
    """Return `i`; InstanceError if it is not an index of `items`."""
    if not -len(items) <= i < len(items):
        count = f"{len(items)} item{'' if len(items) == 1 else 's'}"
        raise InstanceError(f"list index {i} is out of range: the list has {count}")
    return i
