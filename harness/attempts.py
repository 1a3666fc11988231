"""Which attempt at a native build the rows of a system belong to: a number that the pipeline
records with every job, so that a build that failed is tried again, and its cells are measured
again, in the next run; after a build that succeeded nothing is to be done."""

from __future__ import annotations

from pathlib import Path

import baselines

BUILT, FAILED = "built", "failed"


def attempt(marker: Path, possible: bool) -> int:
    """The attempt that counts now: that of the marker, "built 0" or "failed 0", or the one after it
    if that failed and what the build needs is there (`possible`)."""
    outcome, _, number = (marker.read_text() if marker.exists() else "").partition(" ")
    # The marker of an older run is empty.
    last = int(number) if number.strip() else 0
    return last + 1 if outcome == FAILED and possible else last


def is_possible(system: str) -> bool:
    """Whether what the native build of `system` needs is installed here."""
    build = baselines.record(system).build
    return build is not None and build.needs.is_met()
