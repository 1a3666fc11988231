"""The contents of the cache: what was built, how large it is, when it was last used."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .seal import SUFFIX, seal_of

# Folders that libraries fill themselves: each is removed as a whole.
_FOREIGN = ("triton", "inductor")
# Names from `content_hash`. Those without a seal are damaged, or of an older version.
_NAMED = re.compile(r"[0-9a-f]{24}\.(?!lock$|.*sha256$)\w+")
_SHORT_S = 3600.0  # the time between two notes of a file's use


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be removed on its own: a file, or a folder that a library fills. `bytes`:
    its size on disk; `used`: when it was last used, in seconds since 1970."""

    kind: str
    path: Path
    bytes: int
    used: float

    def remove(self) -> None:
        """Remove the item from the cache. A process that is about to use it builds it again."""
        if self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path, ignore_errors=True)
            return
        # The seal first: without it the file counts as not built.
        for path in (self.path.with_name(self.path.name + SUFFIX), self.path, _lock_of(self.path)):
            with contextlib.suppress(OSError):
                path.unlink()


def note_use(path: Path) -> None:
    """Note that a file is used, as the modification time of its seal, unless a use was noted within
    the last hour."""
    seal, now = seal_of(path), time.time()
    with contextlib.suppress(OSError):
        if abs(now - seal.stat(follow_symlinks=False).st_mtime) > _SHORT_S:
            os.utime(seal, (now, now), follow_symlinks=False)


def find_items(cache: Path) -> list[Item]:
    """Return everything that was put into a cache. Other files in the folder are not listed, and
    links are not followed."""
    return list(_items(cache, cache))


def _items(cache: Path, folder: Path) -> Iterator[Item]:
    sizes: dict[str, tuple[int, float]] = {}
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    info = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(info.st_mode):
                        sizes[entry.name] = info.st_blocks * 512, info.st_mtime
                    elif stat.S_ISDIR(info.st_mode):
                        folders.append(entry.name)
    except OSError:
        return
    kind = str(folder.relative_to(cache))
    for name, (size, used) in sizes.items():
        seal = sizes.get(name + SUFFIX)
        if seal is not None:
            yield Item(kind, folder / name, size + seal[0], seal[1])
        elif _NAMED.fullmatch(name):
            yield Item(kind, folder / name, size, used)
    for name in folders:
        if folder == cache and name in _FOREIGN:
            yield _foreign(cache / name)
        else:
            yield from _items(cache, folder / name)


def _foreign(folder: Path) -> Item:
    size, used = 0, 0.0
    for where, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                info = os.lstat(Path(where, name))
                size += info.st_blocks * 512
                used = max(used, info.st_mtime)
    return Item(folder.name, folder, size, used)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name.partition('.')[0]}.lock")
