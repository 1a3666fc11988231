"""Kernels tuned on the machine that they run on: the paper's auto-scheduling, with profile-guided
priorities.

`tune` profiles a compiled model on real instances (`uses`: which kernel takes what share of the
time, over how many rows), shares the seconds out (`budget`), and searches each kernel's schedules
(`candidates`, `search`): every one is compiled, checked against the rule's to the bit and measured
beside it in turn (`bench`, `paired`). What is faster than the rule beyond its interval goes into
the user's database (`acrobat.kernels.schedules`), once the whole program has been checked and timed
with it (`tuner`).
"""

from __future__ import annotations

from .search import Found
from .tuner import Tuning, tune

__all__ = ["Found", "Tuning", "tune"]
