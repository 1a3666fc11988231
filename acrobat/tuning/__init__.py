"""Kernels tuned on the machine that they run on: the paper's auto-scheduling, with profile-guided
priorities.

`tune` profiles a compiled model on real instances (`uses`: each kernel's share of the time, and its
numbers of rows), divides the seconds among the kernels (`budget`), and searches each kernel's
schedules (`candidates`, `search`): every schedule is compiled, checked against the rule's bit for
bit and timed in alternation with it (`bench`, `paired`). A schedule that is faster than the rule's
by more than the interval of the measurement goes into the user's database
(`acrobat.kernels.schedules`), once the whole program has been checked and timed with it (`tuner`).
"""

from __future__ import annotations

from .search import Found
from .tuner import Tuning, tune

__all__ = ["Found", "Tuning", "tune"]
