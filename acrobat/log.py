"""Logging of what compilation does and how long it takes.

Everything goes to `logging.getLogger("acrobat")`: stages with their seconds at INFO, cache hits at
DEBUG. `ACROBAT_LOG=info` (or `debug`) writes it to stderr. Without either, a terminal gets one line
before a long wait (`announce`).
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import OptionError

logger = logging.getLogger("acrobat")
_LEVELS = ("debug", "info", "warning", "error")


def set_up() -> None:
    """Configure the logger as `ACROBAT_LOG` says; OptionError if that is not a level."""
    level = os.environ.get("ACROBAT_LOG", "")
    if not level:
        logger.addHandler(logging.NullHandler())
        return
    if level.lower() not in _LEVELS:
        raise OptionError(f"ACROBAT_LOG={level!r}: the levels are {', '.join(_LEVELS)}")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("acrobat: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level.upper())


def announce(message: str) -> None:
    """Announce a long wait: in the log and, if no handler receives that, on stderr if it is a
    terminal."""
    logger.info(message)
    if not _has_reader() and sys.stderr is not None and sys.stderr.isatty():
        print(f"acrobat: {message} ...", file=sys.stderr, flush=True)


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Log `what` and how long it took, once it is done."""
    start = time.perf_counter()
    yield
    logger.info("%s: %.1f s", what, time.perf_counter() - start)


def _has_reader() -> bool:
    """Whether a handler receives our records, the application's or our own."""
    place: logging.Logger | None = logger
    while place is not None:
        if any(not isinstance(h, logging.NullHandler) for h in place.handlers):
            return True
        place = place.parent if place.propagate else None
    return False
