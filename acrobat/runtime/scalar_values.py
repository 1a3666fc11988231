"""Numbers, bools, strings and tensors of instances: a value as the program takes it, or what is
wrong with it. Which values fit is decided a second time in include/acrobat/python/convert.h."""

from __future__ import annotations

import operator
from types import NoneType
from typing import Any

import numpy as np

from ..ir.types import (
    BoolType,
    FloatType,
    IntType,
    MemberType,
    TensorType,
    TextType,
    Type,
)


class Misfit(Exception):
    """A value does not fit; the message says why, not where."""


def scalar_value(value: Any, t: Type) -> Any:
    """Return `value` as an int, float, bool or str of Python's own, or an array that nobody else
    has; for a member of an enumeration return its position."""
    match t:
        case IntType():
            return _int(value)
        case FloatType():
            return _float(value)
        case BoolType():
            if not isinstance(value, bool):
                raise Misfit(f"expected bool, got {shown(value)}")
            return value
        case MemberType():
            if type(value) is not t.cls:
                raise Misfit(f"expected a member of {t.cls.__name__}, got {shown(value)}")
            return t.members.index(value)
        case TextType():
            if not isinstance(value, str):
                raise Misfit(f"expected str, got {shown(value)}")
            return str.__str__(value)
        case TensorType():
            return _array(value, t)
    raise AssertionError(f"{t} is no scalar type")


def _int(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise Misfit(f"expected int, got {shown(value)}")
    try:
        number = operator.index(value)
    except Exception as error:
        raise Misfit(
            f"expected int, got {shown(value)}, whose __index__ raised {shown_error(error)}"
        ) from error
    number = int.__pos__(number)
    if not -(2**63) <= number < 2**63:
        text = str(number) if abs(number) < 10**40 else shown(number)
        raise Misfit(f"{text} does not fit into 64 bits")
    return number


def _float(value: Any) -> float:
    if isinstance(value, float):
        return float.__pos__(value)
    if isinstance(value, bool) or not isinstance(value, int):
        hint = "; convert with float(...)" if isinstance(value, np.floating) else ""
        raise Misfit(f"expected float, got {shown(value)}{hint}")
    try:
        return int.__float__(value)
    except OverflowError:
        raise Misfit("expected float, got an int that no float holds") from None


def _array(value: Any, t: TensorType) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        raise Misfit(f"expected {t} as a numpy array, got {shown(value)}{_array_hint(value)}")
    if type(value) is not np.ndarray and hasattr(value, "mask"):
        raise Misfit(
            f"expected {t} without a mask, got {shown(value)}; fill it with .filled(<number>)"
        )
    if value.dtype.kind != "f" or value.dtype.itemsize > 8:
        convert = "convert with .astype('float32')"
        if value.dtype.names is not None or value.dtype == object:
            convert = "it must be made of floats alone"
        raise Misfit(f"expected floats, got {value.dtype}; {convert}")
    if value.shape != tuple(d.known for d in t.dims):
        raise Misfit(f"expected {t}, got an array of shape {value.shape}")
    made = np.empty(value.shape, np.float32)
    plain = value.view(np.ndarray)
    with np.errstate(over="ignore"):
        made[...] = plain
    if value.dtype.itemsize > 4 and (beyond := np.isinf(made) & ~np.isinf(plain)).any():
        raise Misfit(f"{plain[beyond][0]} is beyond float32, whose largest number is 3.4028235e+38")
    return made


def _array_hint(value: Any) -> str:
    """Say how to make a numpy array of a tensor that is not one."""
    if type(value).__module__.partition(".")[0] == "torch":
        calls = ".detach()" if getattr(value, "requires_grad", False) else ""
        calls += ".to_dense()" if getattr(value, "is_sparse", False) else ""
        calls += ".cpu()" if _is_elsewhere(value) else ""
        return f"; pass x{calls}.float().numpy()"
    if _is_elsewhere(value):
        return " on a GPU; copy it to the host first"
    if isinstance(value, (list, tuple, memoryview, np.generic, int, float)):
        return "; convert with np.asarray(x, dtype='float32')"
    return ""


def _is_elsewhere(value: Any) -> bool:
    """Return whether `value` is a tensor that is not in the host's memory."""
    try:
        return bool(value.__dlpack_device__()[0] != 1)
    except Exception:
        # It cannot say where it is.
        return False


def shown(value: Any) -> str:
    """Describe a value for a message: by its type, and by the value itself if it is a short scalar
    of Python's or numpy's own. Others may be large, contain themselves, or run any code."""
    name = type(value).__name__
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**40:
        return f"an {name} of {value.bit_length()} bits"
    if type(value) in (int, float, bool, str, complex, bytes, NoneType) or isinstance(
        value, np.generic
    ):
        text = repr(value)
        return f"{name} ({text})" if len(text) <= 40 else name
    return name


def shown_error(error: BaseException) -> str:
    """Describe an exception that somebody else's code raised."""
    try:
        return f"{type(error).__name__}: {error}"[:80]
    except Exception:
        return type(error).__name__
