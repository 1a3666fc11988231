"""Number the variables of a module from 1 on, in the order of their first occurrence.

Their numbers come from one counter for the whole process. What is generated from a module must not
depend on what was compiled before it, or the same model would be built again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..ir import batched as B
from ..ir import typed as T


def number_vars(module: B.Module) -> B.Module:
    """`module` with other numbers."""
    new: dict[T.Var, T.Var] = {}

    def each(value: Any) -> Any:
        if isinstance(value, T.Var):
            return new.setdefault(value, T.Var(value.name, value.type, len(new) + 1))
        if isinstance(value, tuple):
            return tuple(map(each, value))
        if isinstance(value, Mapping):
            return {k: each(v) for k, v in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            old = {f.name: getattr(value, f.name) for f in fields(value)}
            changed = {name: part for name in old if (part := each(old[name])) != old[name]}
            return replace(value, **changed) if changed else value
        return value

    return replace(module, functions=each(module.functions), blocks=each(module.blocks))
