"""The folder where the cache is: the one that the environment asks for, or, if another user could
write there, one of this process alone, which lasts as long as the process."""

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
# Nobody holds it when the process forks: in the child nobody would give it back.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_private: dict[int, Path] = {}  # by process: a forked child has its own
_warned: set[str] = set()


def cache_dir() -> Path:
    """The folder of the cache, which need not exist yet. With a warning a temporary one, if what
    is asked for is nowhere or could have been written by somebody else."""
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
    """A cache of this process alone, gone when it ends."""
    with _lock:
        process = os.getpid()
        if process not in _private or not _private[process].is_dir():
            _private[process], _ = make_scratch()
            atexit.register(_remove, process, _private[process])
        return _private[process]


def existing_private_cache() -> Path | None:
    """The one that this process has already."""
    return _private.get(os.getpid())


def warn_once(problem: str) -> None:
    """Say once per process that what is compiled will not last, and what to do about it."""
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
