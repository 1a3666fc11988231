"""The roofline model (Williams, Waterman, Patterson 2009): how far a program's kernels are from the
machine's limits. The machine's peaks are measured (`machine`), the work of a mini-batch is counted
(`blocks`), and the resulting bounds are printed (`text`)."""

from __future__ import annotations

from .blocks import BlockLimit, find_limits
from .machine import Machine, measure_machine
from .text import limits_json, limits_table, limits_text

__all__ = [
    "BlockLimit",
    "Machine",
    "find_limits",
    "limits_json",
    "limits_table",
    "limits_text",
    "measure_machine",
]
