"""Instances with the keys that determine their dropouts, for a program whose entry takes a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import InstanceError
from ..ir.typed import DataDef
from ..ir.types import Type
from ..lang.draws import Noise, instance_key
from ..runtime.object_inputs import require_list
from ..runtime.read_instances import read_instances

_R = TypeVar("_R")


def run_with_keys(
    run: Callable[[list[Any]], _R],
    instances: Sequence[Any],
    noise: Noise,
    types: Sequence[Type],
    datas: Mapping[str, DataDef],
) -> _R:
    """Call `run` with the instances, with a key appended to each. `types` are those of the entry's
    parameters, including the key. InstanceError describes an invalid instance as the author wrote
    it, without the key."""
    require_list(instances)
    own = types[:-1]
    several = len(own) > 1
    keyed: list[Any] = []
    for i, instance in enumerate(instances):
        key = instance_key(noise, i)
        if several and (not isinstance(instance, tuple) or tuple.__len__(instance) != len(own)):
            read_instances(instances, own, datas)  # which raises InstanceError
        keyed.append((*instance, key) if several else (instance, key))
    try:
        return run(keyed)
    except InstanceError:
        read_instances(instances, own, datas)
        raise
