"""Repairs, at the next start, of the state that a killed Snakemake leaves in its working folder.

Snakemake's locks are files without an owner: after `kill -9` the next run is refused. So we also
hold a lock of the operating system, which ends with its process; a process that acquires it knows
that no other run of this configuration exists, and that Snakemake's locks are stale.
"""

from __future__ import annotations

import base64
import binascii
import fcntl
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from .unfinished import forget

_STATE = Path(".snakemake")


def take_over(out: Path, places: Iterable[Path]) -> IO[str] | None:
    """Begin a run, in the current folder, of the configuration whose results are in `out`: remove
    stale locks, and the waiting rows of cells that are known to be complete. `places` are the
    cells' folders below `out`/raw. Return a file that must stay open until the run ends; None,
    with nothing done, if another run is active."""
    _STATE.mkdir(exist_ok=True)
    held = (_STATE / f"{out.name}.lock").open("a")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        return None
    for lock in (_STATE / "locks").glob("*.lock"):
        # Another workflow may use the same folder.
        if all(line.startswith(f"{out}/") for line in lock.read_text().split()):
            lock.unlink(missing_ok=True)
    begun = _begun()
    for place in places:
        published = out / "raw" / place
        if published.is_dir() and str(published) not in begun:
            forget(place, out)
    return held


def _begun() -> set[str]:
    """The outputs of jobs that Snakemake started and has not recorded as finished."""
    folder = _STATE / "incomplete"
    found = set()
    for path in folder.rglob("*"):
        if path.is_file():
            # Long names are split into folders that begin with "@".
            code = "".join(part.removeprefix("@") for part in path.relative_to(folder).parts)
            try:
                found.add(base64.urlsafe_b64decode(code).decode())
            except (binascii.Error, ValueError):
                continue
    return found
