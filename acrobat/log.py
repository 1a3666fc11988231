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
    """Make the logger as `ACROBAT_LOG` wants it; OptionError if that is no level."""
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
    """Say that something takes long: to the log and, if nobody has configured that, to a terminal
    on stderr."""
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
    """Whether a handler gets our records: one of the program's, or ours."""
    place: logging.Logger | None = logger
    while place is not None:
        if any(not isinstance(h, logging.NullHandler) for h in place.handlers):
            return True
        place = place.parent if place.propagate else None
    return False
