"""Room for Python's own recursion while a model is compiled.

Passes recurse as deeply as a model is nested, or as its functions call each other, with a few
Python calls per level; the front end rejects models nested deeper than `limits.MAX_NESTING`. The
default limit of 1000 calls would be reached after a hundred levels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

DEEP = 40_000

_lock = Lock()
# The lock is free when the process forks: in the child, no thread would release it.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_inside = 0
_before = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow at least DEEP nested calls in the body. The limit holds for the whole process, and is
    restored when the last thread leaves."""
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
