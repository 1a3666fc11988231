"""Atomic writes of files, and folders that only one run at a time may write to."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

# Seconds that another run may take to end after it was killed.
_PATIENCE_S = 3.0


class BusyError(OSError):
    """Another run writes to the folder; the message names both."""


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: nobody ever sees part of it, even after a loss of power."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.not-a-file"))
    # The name does not end in `.json` and is unique to the process, so that the remains of a
    # killed process are in nobody's way.
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def only_one(folder: Path, what: str) -> Iterator[None]:
    """Lock the folder; BusyError if another process holds the lock. The lock is released when the
    process ends, however it ends. `what` describes the folder's contents, for the message."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+") as file:
        end = time.monotonic() + _PATIENCE_S
        while not _locked(file.fileno()):
            if time.monotonic() > end:
                file.seek(0)
                raise BusyError(
                    f"{folder}: another run (process {file.read().strip() or 'unknown'}) writes "
                    f"{what}; wait for its end, or give another folder"
                )
            time.sleep(0.05)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # On a file system without locks, another run cannot be detected.
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True
