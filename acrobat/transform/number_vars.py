"""Number the variables of a module from 1 on, in the order of their first occurrence.

New variables get their numbers from one counter for the whole process. The code generated from a
module must not depend on what was compiled before, or the same model would be built again.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_rename import renamed
from ..ir.rebuild import rebuilt


def number_vars(module: B.Module) -> B.Module:
    """`module` with its variables renumbered."""
    new: dict[T.Var, T.Var] = {}

    def numbered(var: T.Var) -> T.Var:
        if var not in new:
            number = len(new) + 1
            new[var] = var if var.number == number else replace(var, number=number)
        return new[var]

    functions = renamed(module.functions, numbered)
    return rebuilt(module, functions=functions, blocks=renamed(module.blocks, numbered))
