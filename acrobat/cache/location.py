"""Where the cache should be according to the environment."""

from __future__ import annotations

import functools
import os
import pwd
from pathlib import Path

from ..errors import CacheError


def wanted_cache() -> Path:
    """Return `$ACROBAT_CACHE`, else `$XDG_CACHE_HOME/acrobat`, else `~/.cache/acrobat`, always
    absolute. CacheError if there is no home folder either."""
    explicit = os.environ.get("ACROBAT_CACHE")
    if explicit:
        return _absolute(explicit)
    # The XDG Base Directory Specification says that relative paths are invalid and to be ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if shared.startswith("/") else _home() / ".cache") / "acrobat"


@functools.cache
def _absolute(text: str) -> Path:
    """Return what a path meant when it was first used: the process may change its folder since."""
    return Path(text).expanduser().absolute()


def _home() -> Path:
    home = os.environ.get("HOME", "")
    if not home.startswith("/"):
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not home.startswith("/"):
        raise CacheError(f"HOME is not set, and the user {os.getuid()} has no home folder")
    return Path(home)
