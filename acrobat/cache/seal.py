"""Checks whether a file is what was once built. The seal beside it has a hash of its place in the
cache and its contents, and its size. The seal is written last: a file without one is incomplete.

This detects damage. Protection from somebody who also writes seals is the task of `trust`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import BinaryIO

from ..errors import CacheError
from .trust import distrust_file

SUFFIX = ".sha256"
_MOST = 1 << 10  # bytes of a seal


class DamagedFile(CacheError):
    """A cached file is not what was built. It will be built again when it is next asked for
    (`rebuild_damaged`)."""


# Damaged files, also those that cannot be removed because the cache is read-only.
_discarded: set[Path] = set()


def seal_of(path: Path) -> Path:
    """Return the path of a file's seal."""
    return path.with_name(path.name + SUFFIX)


def seal_text(path: Path, data: bytes) -> bytes:
    """Return the contents of the seal of `path` if the file holds `data`."""
    digest = hashlib.sha256(f"{path.parent.name}/{path.name}\0".encode())
    digest.update(data)
    return f"{digest.hexdigest()} {len(data)}\n".encode()


def find_problem(path: Path) -> str | None:
    """Return why a file cannot be used, as far as can be told without reading it; None if it seems
    fine. FileNotFoundError if there is no such file."""
    path.lstat()
    if path in _discarded:
        return "it is damaged"
    try:
        with _open(path) as file:
            size = os.fstat(file.fileno()).st_size
        if not _seal(path).endswith(f" {size}\n".encode()):
            return "it is not of the size that was written"
    except DamagedFile as error:
        return str(error)
    return None


def verified(path: Path) -> bytes:
    """Return the contents of a file that `cached_file` has returned, after checking that they are
    what was built. If not, remove the file from the cache and raise DamagedFile."""
    try:
        seal = _seal(path)
        with _open(path) as file:
            # One byte more than expected at most: the file may have become as large as the disk.
            data = file.read(_size(seal) + 1)
        if seal != seal_text(path, data):
            raise DamagedFile("it does not hold what was written")
    except (DamagedFile, FileNotFoundError) as error:
        reason = str(error) if isinstance(error, DamagedFile) else "it is not there any more"
        discard(path)
        raise DamagedFile(f"{path} cannot be used: {reason}") from None
    return data


def discard(path: Path) -> None:
    """Count the file as not built from now on."""
    _discarded.add(path)
    with contextlib.suppress(OSError):
        seal_of(path).unlink()


def accept(path: Path) -> None:
    """Count the file as built again."""
    _discarded.discard(path)


def _seal(path: Path) -> bytes:
    try:
        with _open(seal_of(path)) as file:
            return file.read(_MOST)
    except FileNotFoundError:
        raise DamagedFile("it has no seal") from None
    except DamagedFile as error:
        raise DamagedFile(f"of its seal: {error}") from None


def _size(seal: bytes) -> int:
    """Return the size of the file according to its seal; 0 if the seal makes no sense."""
    number = seal.rpartition(b" ")[2].strip()
    return int(number) if number.isdigit() and len(number) < 15 else 0


def _open(path: Path) -> BinaryIO:
    """Open a regular file of this user or root for reading, without following links and without
    ever waiting, as opening a pipe would. DamagedFile if it is something else or cannot be read."""
    try:
        # Checked before opening, too: a device may do something when it is opened.
        if reason := distrust_file(path, path.lstat()):
            raise DamagedFile(reason)
        file = open(path, "rb", opener=_opener)  # noqa: SIM115, Path.open has no opener
    except (FileNotFoundError, DamagedFile):
        raise
    except OSError as error:
        raise DamagedFile(f"it cannot be opened ({error.strerror})") from None
    if reason := distrust_file(path, os.fstat(file.fileno())):
        file.close()
        raise DamagedFile(reason)
    return file


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
