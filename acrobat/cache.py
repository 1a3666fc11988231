"""Built artefacts on disk, found by the hash of everything that went into them.

A file appears under its final name only when it is complete (written beside it, then renamed), so
readers need no lock; builders of the same file take one, so that the work is done once.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import FileLock

from .log import logger


def cache_dir() -> Path:
    """`$ACROBAT_CACHE`, else `$XDG_CACHE_HOME/acrobat`, else `~/.cache/acrobat`."""
    explicit = os.environ.get("ACROBAT_CACHE")
    if explicit:
        return Path(explicit)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "acrobat"


def content_hash(parts: Iterable[str | bytes]) -> str:
    """A name for an artefact: the hash of its ingredients, each delimited by its length."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:24]


def is_cached(kind: str, key: str, suffix: str) -> bool:
    """Whether `cached_file` would have nothing to make."""
    return (cache_dir() / kind / f"{key}{suffix}").exists()


def cached_file(
    kind: str, key: str, suffix: str, make: Callable[[Path], None]
) -> tuple[Path, bool]:
    """The file `<cache>/<kind>/<key><suffix>`; `make(path)` writes it if it is not there yet.

    Returns the path and whether it was there already. If `make` raises, nothing is left behind.
    """
    folder = cache_dir() / kind
    final = folder / f"{key}{suffix}"
    if final.exists():
        logger.debug("%s/%s is in the cache", kind, final.name)
        return final, True
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{key}.lock"):
        if final.exists():
            return final, True
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            built = Path(scratch) / final.name
            start = time.perf_counter()
            make(built)
            built.replace(final)
            logger.debug("%s/%s: built in %.1f s", kind, final.name, time.perf_counter() - start)
    return final, False
