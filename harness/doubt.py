"""Whether a row's time is reliable: the width of its interval, and other load on the cores.

The criterion is the uncertainty of the median, not the spread of the samples: many widely spread
samples determine the median well, whereas three samples that happen to agree do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .intervals import Timing, can_resample, median_interval

# Half the interval's width, relative to the median.
WIDEST = 0.05
# With fewer rounds even the range from the least to the greatest contains the median in fewer than
# 95 of 100 cases (1 - 2 / 2^n).
FEWEST_ROUNDS = 6
# Share of CPU time used by other processes.
MOST_LOAD = 0.1

_WIDE = "the 95% interval of the median is"
_FEW = "too few rounds for a 95% interval of the median"
_OTHERS = "other processes used"
FEW_ROUNDS = f"with fewer than {FEWEST_ROUNDS} rounds"
# The beginning of each kind of doubt, and its name in the summary.
_KINDS = {
    _WIDE: f"with an interval wider than ±{WIDEST:.0%}",
    _FEW: FEW_ROUNDS,
    _OTHERS: f"with other processes on over {MOST_LOAD:.0%} of the cores",
}


def doubt_of(timing: Timing, host: Mapping[str, Any]) -> str | None:
    """Why the median of a row is unreliable, "" if it is reliable; `host` is the row's field. None
    if this cannot be computed because SciPy is missing: the report may still compute it."""
    if not can_resample():
        return None
    found = []
    rounds, samples = len(timing.rounds), len(timing.samples)
    if rounds < FEWEST_ROUNDS:
        found.append(f"{_FEW}: {_count(samples, 'sample')} in {rounds}")
    elif (width := median_interval(timing).half_width) > WIDEST:
        how_many = _count(samples, "sample")
        if samples > rounds:
            how_many += f" in {_count(rounds, 'round')}"
        # An exact figure is of no interest once the interval is wider than twice the median.
        found.append(f"{_WIDE} {f'±{width:.0%}' if width < 1 else 'over ±100%'} ({how_many})")
    load, cores = host.get("load_during"), host.get("cores")
    if load is not None and cores and load > MOST_LOAD:
        found.append(f"{_OTHERS} {load * cores:.2g} of {_count(cores, 'core')} meanwhile")
    return "; ".join(found)


def kinds(doubt: str) -> list[str]:
    """The kinds of doubt in a text from `doubt_of`, in the words of `summary`."""
    parts = doubt.split("; ")
    return [name for start, name in _KINDS.items() if any(p.startswith(start) for p in parts)]


def summary(doubts: Iterable[str | None], what: str = "row") -> str:
    """A sentence on how many of the rows that have a time may be unstable, and why; a row may have
    two reasons. None stands for a row whose doubt is not known. `what` names the items counted."""
    doubts = list(doubts)
    doubtful = [d for d in doubts if d]
    unknown = sum(d is None for d in doubts)
    if doubts and unknown == len(doubts):
        return f"{_count(unknown, what)}: how sure they are is not known (SciPy is missing)"
    text = f"{len(doubtful)} of {_count(len(doubts), what)} may be unstable"
    counts = Counter(kind for d in doubtful for kind in kinds(d))
    if counts:
        text += ": " + ", ".join(f"{counts[k]} {k}" for k in _KINDS.values() if counts[k])
    return text + (f"; of {unknown} it is not known" if unknown else "")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
