"""Checks who could have written a file, because loading a library runs its code.

The rules are those of sshd's StrictModes. A folder, and every folder above it, must belong to this
user or root, and nobody else may be able to replace it; the same holds for links on the path. A
group may write if it is the user's private group, as in distributions with umask 002.
"""

from __future__ import annotations

import functools
import grp
import os
import pwd
import stat
from pathlib import Path

_MOST_LINKS = 40  # as many as Linux follows


def distrust_folder(folder: Path) -> str | None:
    """Return why another user could have written the contents of `folder` (an absolute path), as a
    message for the user; None if nobody could. A folder that does not exist yet is fine."""
    at, left, links = Path("/"), list(reversed(folder.parts[1:])), 0
    while left:
        name = left.pop()
        at = at.parent if name == ".." else at / name
        try:
            info = at.lstat()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            return f"{at} cannot be looked at: {error}"
        if stat.S_ISLNK(info.st_mode):
            if not _is_ours(info):
                return f"{at} is a link of {_user(info)}"
            links += 1
            if links > _MOST_LINKS:
                return f"{folder} has too many links on its way"
            target = at.readlink()
            at = Path("/") if target.is_absolute() else at.parent
            left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        elif not stat.S_ISDIR(info.st_mode):
            return f"{at} is not a folder; remove it"
        elif reason := _distrust(at, info, last=not left):
            return reason
    return None


def distrust_file(path: Path, info: os.stat_result) -> str | None:
    """Return why the contents of a file in a trusted folder must not be used, or None."""
    if not stat.S_ISREG(info.st_mode):
        return "it is not a regular file"
    if not _is_ours(info):
        return f"it belongs to {_user(info)}"
    if _others_may_write(path, info):
        return "others may write to it"
    return None


def _distrust(folder: Path, info: os.stat_result, last: bool) -> str | None:
    if not _is_ours(info) and (last or info.st_uid != _unmapped()):
        return f"{folder} belongs to {_user(info)}"
    # In a sticky folder only owners can replace an entry, so the path may lead through it.
    if (last or not info.st_mode & stat.S_ISVTX) and _others_may_write(folder, info):
        return f"others may write to {folder}; chmod go-w {folder}"
    return None


def _is_ours(info: os.stat_result) -> bool:
    return info.st_uid in (0, os.geteuid())


def _user(info: os.stat_result) -> str:
    try:
        return f"the user {pwd.getpwuid(info.st_uid).pw_name}"
    except KeyError:
        return f"the user {info.st_uid}"


def _others_may_write(path: Path, info: os.stat_result) -> bool:
    if info.st_mode & stat.S_IWOTH:
        return True
    if not info.st_mode & stat.S_IWGRP:
        return False
    # With an access control list, the group's bits are the most that anybody in the list may do.
    return not _is_private(info.st_gid) or "system.posix_acl_access" in _attributes(path)


def _is_private(gid: int) -> bool:
    """Whether a group is the private group of this user or of root: it has their name, is their
    primary group and has no other members."""
    for uid in {0, os.geteuid()}:
        try:
            user, group = pwd.getpwuid(uid), grp.getgrgid(gid)
        except KeyError:
            continue
        if user.pw_gid == gid and {group.gr_name, *group.gr_mem} == {user.pw_name}:
            return True
    return False


def _attributes(path: Path) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError:
        return []


@functools.cache
def _unmapped() -> int | None:
    """Return the user that stands for everybody who is unmapped in this user namespace (in a
    rootless container that includes the machine's root); None if all users are mapped."""
    try:
        mapped = Path("/proc/self/uid_map").read_text().split()
        if mapped == ["0", "0", "4294967295"]:
            return None
        return int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return None
