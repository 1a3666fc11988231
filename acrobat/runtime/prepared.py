"""What all prepared instances have in common, whatever runs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Self

from ..errors import InstanceError


class ProgramKey:
    """Distinguishes a program from every other one, even of the same model. Prepared instances
    carry the key of their program, which does not keep the program alive."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class PreparedInputs:
    """Instances that were checked once and may run several times, even in several threads. They
    belong to this process and to the program that prepared them: copying returns the same object,
    and they cannot be pickled."""

    key: ProgramKey
    input_ms: float

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise InstanceError(
            "prepared instances cannot be pickled: they are memory of this process. Pickle the "
            "instances themselves, and call prepare() of the compiled model that will run them"
        )


def check_inputs(inputs: Any, key: ProgramKey, model: str) -> None:
    """Raise an InstanceError unless the program with this key has prepared `inputs`."""
    if not isinstance(inputs, PreparedInputs):
        raise InstanceError(
            f"run() takes what prepare() returned, got {type(inputs).__name__}; call the compiled "
            f"model with a list of instances, or prepare() the list first"
        )
    if inputs.key is not key:
        raise InstanceError(
            f"these instances were prepared by another compiled model than this one ({model}), or "
            f"before it was compiled anew; call prepare() of the compiled model that runs them"
        )
