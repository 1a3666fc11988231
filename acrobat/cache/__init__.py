"""Built artefacts on disk, found by the hash of everything that went into them.

`cached_file` (`store`) finds or makes a file. The cache holds code that will run in this process,
so a file is trusted only if nobody but this user and root can have written it (`trust`) and if it
is what was once built (`seal`). To use a file, read it with `verified` or load it with
`load_library` (`library`), which check the very bytes that are used. A file that is damaged between
two steps of a compilation is built again (`heal.rebuild_damaged`). `kept` is for files that are not
built but added to. `prune` keeps the cache from growing forever. If the cache cannot be used
(`location`, `private`), files go to a temporary folder that lasts as long as the process.
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
