"""Loads a cached library into this process.

A copy without a name is loaded: nobody can change it between the check and the load, and later
changes to the cached file do not affect it (truncating a loaded file takes its pages away from a
running program).

The loader still needs a path, keeps it, and reports it to code that looks for the files of loaded
libraries: tvm_ffi maps them all when it is imported. So it gets a link that is removed afterwards.
A path such as /proc/self/fd/5 would by then refer to another file, and mapping that one as a
library ends the process (SIGBUS).
"""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from ..errors import ToolchainError
from .scratch import scratch_folder
from .seal import seal_text, verified

_L = TypeVar("_L", bound=ctypes.CDLL)
_lock = threading.Lock()
# The lock is free when the process forks: in the child, no thread would release it.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_loaded: dict[bytes, ctypes.CDLL] = {}


def load_library(path: Path, kind: type[_L]) -> _L:
    """Load a cached file as a library. The same contents are loaded only once, and stay loaded.

    ACROBAT_LOAD_IN_PLACE=1 loads the file itself, for debuggers and profilers that need a name.
    DamagedFile if it is not what was built; ToolchainError if the system cannot load it."""
    data = verified(path)
    if os.environ.get("ACROBAT_LOAD_IN_PLACE") == "1":
        return _load(str(path), path, kind)
    with _lock:
        key = seal_text(path, data)
        if key not in _loaded:
            _loaded[key] = _load_copy(path, data, kind)
        library = _loaded[key]
    return kind(library._name, handle=library._handle)


def _load_copy(path: Path, data: bytes, kind: type[_L]) -> _L:
    # Beside the file, because libraries can be loaded from there; in memory if nothing can be
    # written to, or loaded from, that folder.
    for place in (_on_disk(path.parent), _in_memory()):
        with suppress(OSError), place as descriptor, scratch_folder() as folder:
            with open(descriptor, "wb", closefd=False) as copy:
                copy.write(data)
            link = folder / path.name
            link.symlink_to(f"/proc/self/fd/{descriptor}")
            return kind(str(link))
    return _load(str(path), path, kind)


def _load(name: str, path: Path, kind: type[_L]) -> _L:
    try:
        return kind(name)
    except OSError as error:
        raise ToolchainError(f"the compiled program {path} cannot be loaded: {error}") from error


@contextmanager
def _on_disk(folder: Path) -> Iterator[int]:
    with tempfile.TemporaryFile(dir=folder) as file:
        yield file.fileno()


@contextmanager
def _in_memory() -> Iterator[int]:
    descriptor = os.memfd_create("acrobat")
    try:
        yield descriptor
    finally:
        os.close(descriptor)
