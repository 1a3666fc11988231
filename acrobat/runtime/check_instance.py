"""Find out what is wrong with an instance that does not fit the model's input type.

The conversion in C++ only says that something does not fit. This walk, in plain Python and
without recursion, finds the first misfit in field order and names the path to it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import InstanceError
from ..ir.typed import DataDef
from ..ir.types import (
    BoolType,
    DataRef,
    FloatType,
    IntType,
    ListType,
    TensorType,
    Type,
    UnionType,
)


def explain_misfit(
    instances: Sequence[Any], types: Sequence[Type], datas: Mapping[str, DataDef]
) -> NoReturn:
    """Raise the InstanceError for the first instance that does not fit."""
    check_instances(instances, types, datas)
    raise InstanceError("the instances do not fit the model's input type")


def check_instances(
    instances: Sequence[Any], types: Sequence[Type], datas: Mapping[str, DataDef]
) -> None:
    """InstanceError with the path to the first field that does not fit, if there is one."""
    for i, instance in enumerate(instances):
        path = f"instances[{i}]"
        if len(types) == 1:
            _check(instance, types[0], path, datas)
            continue
        if not isinstance(instance, tuple) or len(instance) != len(types):
            wanted = ", ".join(map(str, types))
            raise InstanceError(f"{path}: expected a tuple ({wanted}), got {_shown(instance)}")
        for j, (part, t) in enumerate(zip(instance, types, strict=True)):
            _check(part, t, f"{path}[{j}]", datas)


def _check(value: Any, t: Type, path: str, datas: Mapping[str, DataDef]) -> None:
    work: list[tuple[Any, Type, str]] = [(value, t, path)]
    while work:
        value, t, path = work.pop()
        if isinstance(t, ListType):
            if not isinstance(value, (list, tuple)):
                raise InstanceError(f"{path}: expected {t}, got {_shown(value)}")
            for i in reversed(range(len(value))):
                work.append((value[i], t.item, f"{path}[{i}]"))
            continue
        if not isinstance(t, (DataRef, UnionType)):
            problem = _scalar_problem(value, t)
            if problem:
                raise InstanceError(f"{path}: {problem}")
            continue
        members = t.members if isinstance(t, UnionType) else (t.name,)
        found = next((datas[m] for m in members if type(value) is datas[m].cls), None)
        if found is None:
            wanted = " or ".join(members)
            raise InstanceError(f"{path}: expected {wanted}, got {_shown(value)}")
        for name, field_type in reversed(found.fields):
            work.append((getattr(value, name), field_type, f"{path}.{name}"))


def _scalar_problem(value: Any, t: Type) -> str:
    match t:
        case IntType():
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                return f"expected int, got {_shown(value)}"
            if not -(2**63) <= operator.index(value) < 2**63:
                return f"{value} does not fit into 64 bits"
        case FloatType():
            if isinstance(value, bool) or not isinstance(value, (float, int)):
                return f"expected float, got {_shown(value)}"
        case BoolType():
            if not isinstance(value, bool):
                return f"expected bool, got {_shown(value)}"
        case TensorType():
            if _is_elsewhere(value):
                return (
                    f"expected {t} as a numpy array, got a {type(value).__name__} on a GPU; copy "
                    f"it to the host first"
                )
            if not isinstance(value, np.ndarray):
                return f"expected {t} as a numpy array, got {_shown(value)}"
            if value.dtype != np.float32:
                return f"expected float32, got {value.dtype}; convert with .astype('float32')"
            if value.shape != tuple(d.known for d in t.dims):
                return f"expected {t}, got an array of shape {value.shape}"
    return ""


def _is_elsewhere(value: Any) -> bool:
    """Whether it is a tensor that is not in the host's memory."""
    return hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] != 1


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} ({text})" if len(text) <= 40 else type(value).__name__
