"""Number the variables of a module from 1 on, in the order of their first occurrence.

New variables get their numbers from one counter for the whole process. The code generated from a
module must not depend on what was compiled before, or the same model would be built again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..ir import batched as B
from ..ir import typed as T
from ..ir.rebuild import rebuilt


def number_vars(module: B.Module) -> B.Module:
    """`module` with its variables renumbered."""
    new: dict[T.Var, T.Var] = {}

    def each(value: Any) -> Any:
        if isinstance(value, T.Var):
            if value not in new:
                number = len(new) + 1
                new[value] = value if value.number == number else replace(value, number=number)
            return new[value]
        if isinstance(value, tuple):
            parts = tuple(map(each, value))
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        if isinstance(value, Mapping):
            return {k: each(v) for k, v in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return rebuilt(value, **{f.name: each(getattr(value, f.name)) for f in fields(value)})
        return value

    return rebuilt(module, functions=each(module.functions), blocks=each(module.blocks))
