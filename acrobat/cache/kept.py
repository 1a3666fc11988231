"""Files of the cache that grow, such as measured schedules. They are owned, sealed and replaced
like built files, but not addressed by a content hash, and cannot be rebuilt. So readers wait for a
writer: between two of its steps the file would seem to be damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .contents import note_use
from .private import cache_dir, existing_private_cache, private_cache, warn_once
from .seal import DamagedFile, verified
from .store import locked, publish
from .trust import distrust_folder


def read_kept(kind: str, name: str) -> bytes | None:
    """Return the contents of `<cache>/<kind>/<name>`, or None if there is no such file. DamagedFile
    if it does not hold what was written, or if somebody else could have written it."""
    path = _find(kind, name)
    if path is None:
        return None
    with locked(path.parent, path.stem):
        return _read(path)


def change_kept(kind: str, name: str, change: Callable[[bytes | None], bytes]) -> Path:
    """Replace the contents by what `change` makes of them (it gets None if there are no usable
    ones), under a lock. Returns the path; if the cache cannot be written to, it is in a cache
    private to this process, and a warning is issued."""
    with locked(cache_dir() / kind, Path(name).stem):
        path = _find(kind, name)
        try:
            before = None if path is None else _read(path)
        except DamagedFile:
            before = None
        data = change(before)
        try:
            return publish(cache_dir() / kind / name, data)
        except OSError as error:
            warn_once(f"{cache_dir() / kind} cannot be written to: {error.strerror or error}")
        return publish(private_cache() / kind / name, data)


def _find(kind: str, name: str) -> Path | None:
    """Return the path of a file, or None. The private cache, which this process writes to if it
    cannot write elsewhere, has the newer version."""
    for root in (existing_private_cache(), cache_dir()):
        if root is not None and os.path.lexists(root / kind / name):
            return root / kind / name
    return None


def _read(path: Path) -> bytes:
    if reason := distrust_folder(path.parent):
        raise DamagedFile(f"{path} cannot be used: {reason}")
    data = verified(path)
    note_use(path)
    return data
