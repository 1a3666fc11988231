"""The folder of the cache: the one that the environment asks for, or, if another user could write
there, one private to this process, which lasts as long as the process."""

from __future__ import annotations

import atexit
import os
import shutil
import threading
import warnings
from pathlib import Path

from ..errors import CacheError
from .location import wanted_cache
from .scratch import make_scratch
from .trust import distrust_folder

_lock = threading.Lock()
# The lock is free when the process forks: in the child, no thread would release it.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_private: dict[int, Path] = {}  # by process: a forked child has its own
_warned: set[str] = set()


def cache_dir() -> Path:
    """Return the folder of the cache, which need not exist yet. If the environment names none, or
    one that somebody else could have written to, warn and return a temporary folder."""
    try:
        folder = wanted_cache()
        reason = distrust_folder(folder)
    except CacheError as error:
        reason = str(error)
    if reason is None:
        return folder
    warn_once(f"the cache cannot be used: {reason}")
    return private_cache()


def private_cache() -> Path:
    """Return a cache private to this process, which is removed when the process ends."""
    with _lock:
        process = os.getpid()
        if process not in _private or not _private[process].is_dir():
            _private[process], _ = make_scratch()
            atexit.register(_remove, process, _private[process])
        return _private[process]


def existing_private_cache() -> Path | None:
    """Return the private cache if this process already has one."""
    return _private.get(os.getpid())


def warn_once(problem: str) -> None:
    """Warn, once per process, that compiled files will not last, and say what to do about it."""
    if problem not in _warned:
        _warned.add(problem)
        warnings.warn(
            f"{problem}. What is compiled now is gone when this process ends; set ACROBAT_CACHE to "
            f"a folder of your own to keep it",
            RuntimeWarning,
            stacklevel=2,
        )


def _remove(process: int, folder: Path) -> None:
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)
