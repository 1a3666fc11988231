"""Finds files in the cache, and puts them there.

A file appears under its final name only when it is complete (it is written beside it, then
renamed), followed by its seal, so readers need no lock. Builders of the same file take one, so that
the work is done once; if the lock cannot be had, or not in time, the work is done twice.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock

from ..errors import AcrobatError, CacheError
from ..log import logger
from .contents import note_use
from .private import cache_dir, existing_private_cache, private_cache, warn_once
from .prune import keep_bound
from .scratch import scratch_folder
from .seal import DamagedFile, accept, discard, find_problem, seal_of, seal_text, verified
from .trust import distrust_folder

_PATIENCE_S = 600.0  # for somebody else's build of the same file
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STALE_S = 60.0  # by this age, a temporary file that is in use has its lock


def is_cached(kind: str, key: str, suffix: str) -> bool:
    """Whether `cached_file` would have nothing to make."""
    return _find(kind, f"{key}{suffix}", quietly=True) is not None


def cached_file(
    kind: str, key: str, suffix: str, make: Callable[[Path], None], *, check: bool = True
) -> tuple[Path, bool]:
    """Find or make the file `<cache>/<kind>/<key><suffix>`. If it does not exist or is damaged,
    `make(path)` writes it, in a folder of its own. With `check` false the contents are not checked
    here, because the user of the file will do so (`verified`, `load_library`).

    Returns the path and whether the file existed. If `make` raises, nothing is left behind.
    CacheError if there is no place to build it.
    """
    name = f"{key}{suffix}"
    found = _find(kind, name, check=check)
    if found is not None:
        note_use(found)
    else:
        with locked(cache_dir() / kind, key):
            found = _find(kind, name, quietly=True, check=check)
            if found is None:
                return _build(kind, name, make), False
        return found, True
    logger.debug("%s/%s is in the cache", kind, name)
    return found, True


def _find(kind: str, name: str, quietly: bool = False, check: bool = False) -> Path | None:
    for root in (cache_dir(), existing_private_cache()):
        if root is None:
            continue
        path = root / kind / name
        try:
            problem = distrust_folder(path.parent) or find_problem(path)
            if problem is None:
                if check:
                    verified(path)
                return path
        except DamagedFile as error:
            problem = str(error)
        except OSError:  # The file does not exist, or cannot be accessed.
            continue
        if not quietly:
            logger.warning("%s/%s is built again: %s", kind, name, problem)
    return None


def _build(kind: str, name: str, make: Callable[[Path], None]) -> Path:
    with scratch_folder() as scratch:
        built = scratch / name
        start = time.perf_counter()
        try:
            make(built)
            data = built.read_bytes()
        except AcrobatError:
            raise
        except OSError as error:
            advice = "; free space there, or set TMPDIR to another folder" * (error.errno in _FULL)
            raise CacheError(
                f"{kind}/{name} cannot be built in {scratch.parent}: {error}{advice}"
            ) from error
        logger.debug("%s/%s: built in %.1f s", kind, name, time.perf_counter() - start)
        try:
            path = publish(cache_dir() / kind / name, data)
            with contextlib.suppress(OSError):
                keep_bound(cache_dir())
            return path
        except OSError as error:
            problem = error.strerror or str(error)
            warn_once(f"{cache_dir() / kind} cannot be written to: {problem}")
        return publish(private_cache() / kind / name, data)


def publish(path: Path, data: bytes) -> Path:
    """Put a file into the cache. If that is not possible, leave nothing behind and raise
    OSError."""
    _make_folder(path.parent)
    if reason := distrust_folder(path.parent):
        raise PermissionError(reason)
    _sweep(path.parent)
    seal = seal_of(path)
    discard(path)
    for target, contents in ((path, data), (seal, seal_text(path, data))):
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        try:
            with beside.open("xb") as file:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(file, fcntl.LOCK_EX)
                file.write(contents)
                file.flush()
                # Others may read if the umask permits it, but not write.
                beside.chmod(0o644 & beside.stat().st_mode)
                beside.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    accept(path)
    return path


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o755)


def _sweep(folder: Path) -> None:
    """Remove files that processes were killed before renaming: nobody holds their locks."""
    now = time.time()
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            # A process that has just created the file may not have locked it yet.
            if abs(now - path.lstat().st_mtime) > _STALE_S:
                with path.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()


@contextlib.contextmanager
def locked(folder: Path, key: str) -> Iterator[None]:
    lock = FileLock(folder / f"{key}.lock", timeout=_PATIENCE_S)
    try:
        _make_folder(folder)
        if reason := distrust_folder(folder):
            raise PermissionError(reason)
        lock.acquire()
    except (OSError, NotImplementedError) as error:
        logger.debug("%s is built without a lock: %s", key, error)
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.release()
