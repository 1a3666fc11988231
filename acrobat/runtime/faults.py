"""Errors that cross the boundary from C++, where they are pairs (kind, message)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from ..errors import (
    AcrobatError,
    CapacityError,
    DeviceError,
    InstanceError,
    RecursionLimitError,
)

_ERRORS: Mapping[str, type[AcrobatError]] = {
    "stack": RecursionLimitError,
    "capacity": CapacityError,
    "memory": CapacityError,
    "instance": InstanceError,
    "device": DeviceError,
}


def raise_fault(kind: str, message: str) -> NoReturn:
    """Raise the exception that a pair stands for."""
    if kind == "memory" and not message:
        message = (
            "memory ran out in the middle of it, and was given back; pass fewer instances per "
            "call, or see what else of the process takes memory, and its limits (ulimit -v)"
        )
    raise _ERRORS.get(kind, AcrobatError)(message)
