"""What one attempt to lower a model takes for granted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Assumptions:
    """`found`: not None if numbers replace the names of dimensions; it has those that no weight
    determines. `varying`: the names of dimensions whose sizes only an instance knows. `adopted`:
    plain dataclasses that are data types. `told`: plain classes that are data types, too, and hints
    for their fields, which they do not have themselves (told_fields.py). `floats_open`: whether the
    hint `float` of a local variable, a result or the parameter of a function that the model calls
    may be said of a tensor of rank 0."""

    found: Mapping[str, int] | None = None
    varying: Collection[str] = ()
    adopted: Collection[type] = ()
    told: Mapping[type, tuple[tuple[str, Any], ...]] = field(default_factory=dict)
    floats_open: bool = False
