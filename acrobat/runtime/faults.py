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

OUT_OF_MEMORY = (
    "memory ran out in the middle of it, and was given back; pass fewer instances per call, or see "
    "what else of the process takes memory, and its limits (ulimit -v)"
)


def too_deep(stack_mb: int) -> RecursionLimitError:
    """Return the error for a recursion that needs more than `Options.stack_mb`."""
    return RecursionLimitError(
        f"the model recursed deeper than its stack holds ({stack_mb} MiB); raise Options.stack_mb, "
        f"or make the instances shallower"
    )


def raise_fault(kind: str, message: str) -> NoReturn:
    """Raise the exception that a pair (kind, message) stands for."""
    if kind == "memory" and not message:
        message = OUT_OF_MEMORY
    raise _ERRORS.get(kind, AcrobatError)(message)
