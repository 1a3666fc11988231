"""Temporary folders for builds, outside the cache.

The process that owns a folder holds a lock on it for as long as it lives. A folder without an owner
was left by a process that was killed; the next process that needs a folder removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import CacheError
from .trust import distrust_folder

_ROOM = 64 << 20  # bytes that a build may need: a precompiled header takes 30 MB


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide a new folder that only this user can enter, and remove it at the end. CacheError if
    there is no place for one."""
    folder, lock = make_scratch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def make_scratch() -> tuple[Path, int]:
    """Return a new folder that only this user can enter, and the descriptor whose lock makes this
    process its owner."""
    problems = []
    for parent in _parents():
        try:
            _sweep(parent)
            folder, lock = _make(parent)
        except OSError as error:
            problems.append(f"{parent}: {error.strerror}")
            continue
        reason = distrust_folder(folder)
        if reason is None:
            return folder, lock
        folder.rmdir()
        os.close(lock)
        problems.append(reason)
    raise CacheError(
        f"there is no folder for temporary files ({'; '.join(problems)}); set TMPDIR to one that "
        f"exists and that you may write to"
    )


def _parents() -> list[Path]:
    """Return the folders that temporary files may go to, those with enough room first."""
    named = os.environ.get("TMPDIR")
    found = [Path(named).absolute()] if named else []
    found += [p for p in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")) if p not in found]
    return sorted(found, key=lambda p: _room(p) < _ROOM)


def _room(folder: Path) -> int:
    try:
        figures = os.statvfs(folder)
    except OSError:
        return 0
    return figures.f_bavail * figures.f_frsize


def _prefix() -> str:
    return f"acrobat-scratch-{os.geteuid()}-"


def _make(parent: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_prefix(), dir=parent))
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            # Before it was locked it had no owner, so another process may have removed it.
            if os.fstat(lock).st_nlink > 0 and folder.exists():
                return folder, lock
            os.close(lock)


def _sweep(parent: Path) -> None:
    """Remove what killed processes of this user have left."""
    with os.scandir(parent) as entries:
        found = [e.path for e in entries if e.name.startswith(_prefix())]
    for folder in found:
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # It has an owner, or this file system has no locks.
            pass
        finally:
            os.close(lock)
