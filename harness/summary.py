"""A summary of a run's rows in a few lines: failed, unsupported, unstable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .doubt import summary
from .row import FAILURES


def summary_lines(outcomes: Sequence[str], doubts: Sequence[str | None]) -> list[str]:
    """The lines of the summary, from the outcomes of all rows and the doubts of those with a
    time."""
    counts, of_all = Counter(outcomes), f"of {len(outcomes)} rows"
    failed = {name: counts[name] for name in FAILURES if counts[name]}
    lines = []
    if failed:
        how = ", ".join(f"{n} {name}" for name, n in failed.items())
        lines.append(f"{sum(failed.values())} {of_all} failed ({how}); their reason says why")
    if counts["skipped"]:
        lines.append(
            f"{counts['skipped']} {of_all} were skipped, for want of a native build; the next run "
            f"tries again"
        )
    if counts["unsupported"]:
        lines.append(f"{counts['unsupported']} {of_all} are of what a system says it cannot run")
    if doubts:
        lines.append(summary(doubts))
    return lines
