"""Room for Python's own recursion while a model is compiled.

Passes recurse as deep as a model is nested, or as its functions call each other, with a few calls
of Python for each level; the front end refuses what is nested deeper than `limits.MAX_NESTING`. The
usual 1000 calls would be over after a hundred levels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

DEEP = 40_000

_lock = Lock()
# Nobody holds it when the process forks: in the child nobody would give it back.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_inside = 0
_before = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """At least DEEP nested calls inside; the limit is the process's, and what it was again when the
    last thread is out."""
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, DEEP))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_before)
