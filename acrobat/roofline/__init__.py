"""How far a program's kernels are from what the machine can (Williams, Waterman, Patterson 2009):
what it can is measured (`machine`), what a mini-batch asks of it is counted (`blocks`), and what
follows is shown (`text`)."""

from __future__ import annotations

from .blocks import BlockLimit, find_limits
from .machine import Machine, measure_machine
from .text import limits_json, limits_text

__all__ = [
    "BlockLimit",
    "Machine",
    "find_limits",
    "limits_json",
    "limits_text",
    "measure_machine",
]
