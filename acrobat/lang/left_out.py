"""Instances that leave out what the model's function has defaults for.

An instance of a model with several parameters is a tuple of their values. As in a call, the last of
them may be left out if they have defaults; a single value that is no tuple, or a longer one, stands
for itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


def whole_instances(function: Callable[..., Any], instances: Any) -> Any:
    """The instances of a model's function, with the defaults of what they leave out; unchanged if
    it has none. Instances that do not fit stay as they are."""
    if not getattr(function, "__defaults__", None) and not getattr(
        function, "__kwdefaults__", None
    ):
        return instances
    _, *parameters = inspect.signature(function).parameters.values()
    values = [p.default for p in parameters]
    defaults: list[Any] = []
    while values and values[-1] is not inspect.Parameter.empty:
        defaults.insert(0, values.pop())
    if not defaults or len(parameters) == 1 or not isinstance(instances, (list, tuple)):
        return instances
    return [_whole(i, len(parameters), defaults) for i in instances]


def _whole(instance: Any, count: int, defaults: Sequence[Any]) -> Any:
    given = instance if isinstance(instance, tuple) else (instance,)
    missing = count - len(given)
    if 0 < missing <= len(defaults):
        return (*given, *defaults[len(defaults) - missing :])
    if missing < 0 and len(defaults) == count - 1:  # a longer tuple is the first argument
        return (instance, *defaults)
    return instance
