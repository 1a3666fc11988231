"""Disks that are small or cannot be written to, for one process and what it starts."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

_NEW_NAMESPACE = 0x20000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    texts = (t.encode() for t in (source, target, kind))
    if _libc.mount(*texts, ctypes.c_ulong(flags), data.encode()):
        raise OSError(ctypes.get_errno(), f"mount {target}")


def _enter() -> None:
    """From here on, what this process mounts nobody else sees."""
    if _libc.unshare(_NEW_NAMESPACE):
        raise OSError(ctypes.get_errno(), "unshare")
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)


@functools.cache
def can_mount() -> bool:
    """Whether this user may; tried in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            _enter()
            _mount("tmpfs", "/tmp", "tmpfs", 0, "size=4096")
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def mount_over(folder: str, size: int, keep: bool = False) -> None:
    """A disk of so many bytes there, for this process: empty, or (`keep`) so many bytes besides the
    files that are there."""
    kept = {p.name: p.read_bytes() for p in Path(folder).iterdir() if keep and p.is_file()}
    page = os.sysconf("SC_PAGE_SIZE")
    size += sum(-(-len(data) // page) * page for data in kept.values())
    _enter()
    _mount("tmpfs", folder, "tmpfs", 0, f"size={size},mode=0755")
    for name, data in kept.items():
        (Path(folder) / name).write_bytes(data)


def read_only(folder: Path) -> None:
    """For this process, if it may mount; else for all."""
    if can_mount():
        _enter()
        _mount(str(folder), str(folder), "", _BIND)
        _mount("none", str(folder), "", _BIND | _REMOUNT | _READ_ONLY)
        return
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555)
