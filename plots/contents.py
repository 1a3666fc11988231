"""Which tables and figures a set of rows has something for."""

from __future__ import annotations

from collections.abc import Collection

from .speedup import OPPONENTS
from .tables import PYTORCH

# Of what compares acrobat with others, the others.
COMPARED = {
    "T3_dynet": ("dynet",),
    "T4_cortex": ("cortex",),
    "T5_pytorch": (*PYTORCH, "floor"),
    "F1_speedup": OPPONENTS,
}


def compared(systems: Collection[str]) -> list[str]:
    """The tables and figures that show one of `systems` beside acrobat."""
    return [name for name, others in COMPARED.items() if set(others) & set(systems)]
