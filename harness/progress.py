"""The progress of a pipeline run: an occasional line with the estimated remaining time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

# A line is due when a cell is done and the last line is at least this old, in seconds.
_BETWEEN_S = 10.0
_LOOKS_S = 1.0


class Progress:
    """The progress of cells whose rows are written to `folders`, with the estimated `seconds` of
    each. The actual time of finished cells scales the estimates of the rest: on a busy machine all
    are slower."""

    def __init__(
        self,
        name: str,
        folders: Mapping[str, Path],
        seconds: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.seconds, self.clock = name, seconds, clock
        # Absolute, because Snakemake returns to its original working folder before it ends.
        self.folders = {key: folder.absolute() for key, folder in folders.items()}
        self._start = clock()
        self._there = self._done()
        self._said = len(self._there)
        self._last = self._start

    def line(self) -> str | None:
        """The line that is due now, or None."""
        done, now = self._done(), self.clock()
        if len(done) <= self._said or now - self._last < _BETWEEN_S:
            return None
        self._said, self._last = len(done), now
        expected = sum(self.seconds[key] for key in done - self._there)
        rest = sum(s for key, s in self.seconds.items() if key not in done)
        slower = (now - self._start) / expected if expected > 0 else 1.0
        text = f"{self.name}: {len(done)} of {len(self.folders)} cells"
        return f"{text}, about {_time(rest * slower)} left" if rest else text

    def watch(self, to: TextIO | None = None) -> None:
        """Print lines in the background until this process ends."""
        threading.Thread(target=self._watch, args=(to or sys.stderr,), daemon=True).start()

    def _watch(self, to: TextIO) -> None:
        while True:
            time.sleep(_LOOKS_S)
            try:
                if line := self.line():
                    print(line, file=to, flush=True)
            except (OSError, ValueError):  # the terminal is gone
                return

    def _done(self) -> set[str]:
        return {key for key, folder in self.folders.items() if folder.is_dir()}


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
