"""Built artefacts on disk, found by the hash of everything that went into them.

`cached_file` (`store`) finds or makes a file. What is in the cache is code that will run in this
process, so it is believed only if nobody but this user and root can have written it (`trust`) and
if it is what was once built (`seal`). Whoever uses a file takes its contents by `verified`, or
loads it by `load_library` (`library`), which look at the very bytes that are used. A file that is
damaged between a compilation's steps is built again (`heal.rebuild_damaged`). `kept` is for what is
not built but added to. `prune` keeps the cache from growing for ever. Where it cannot be used
(`location`, `private`) files lie in a temporary folder for as long as the process lives.
"""

from __future__ import annotations

from .contents import Item, find_items
from .heal import rebuild_damaged
from .kept import change_kept, read_kept
from .key import content_hash
from .library import load_library
from .private import cache_dir
from .prune import most_bytes, prune
from .scratch import scratch_folder
from .seal import verified
from .store import cached_file, is_cached

__all__ = [
    "Item",
    "cache_dir",
    "cached_file",
    "change_kept",
    "content_hash",
    "find_items",
    "is_cached",
    "load_library",
    "most_bytes",
    "prune",
    "read_kept",
    "rebuild_damaged",
    "scratch_folder",
    "verified",
]
