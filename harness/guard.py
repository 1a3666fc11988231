"""A process that ends others when one on which they depend has died: `guard.py TOKEN END WATCH...`

A process that is killed (signal 9) cannot end those that it started: compilers, workers, and theirs
go on beside whatever is measured next. The guard sleeps until one of the processes WATCH is gone,
however it ended, then kills the process END and every other that has TOKEN in its environment,
which is inherited, and removes the temporary folders that are named after TOKEN. It is a script of
the standard library alone, so that it starts in a few milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

# The environment variables that processes inherit: of all that a run starts, and of all that one of
# its workers starts.
RUN, WORKER = "ACROBAT_RUN", "ACROBAT_WORKER"
# Whoever is killed may just have started another process.
_ROUNDS, _PAUSE_S = 50, 0.02


def marked(name: str, value: str) -> list[int]:
    """The processes that were started with this environment variable, but for our own; none where
    the system does not tell (/proc)."""
    wanted = f"{name}={value}".encode()
    found = []
    for pid in _processes():
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue  # Another user's, or it has just ended.
        if wanted in environment.split(b"\0") and pid != os.getpid():
            found.append(pid)
    return found


def kill_marked(name: str, value: str) -> bool:
    """Kill all of them, and what they start meanwhile; whether there were any."""
    any_found = False
    for _ in range(_ROUNDS):
        pids = marked(name, value)
        if not pids:
            break
        any_found = True
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)
    return any_found


def kill_session(leader: int) -> None:
    """Kill all processes of a session but for its leader, whatever their environment."""
    for _ in range(_ROUNDS):
        pids = [pid for pid in _processes() if pid != leader and _session(pid) == leader]
        if not pids:
            break
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]


def scratch_prefix(token: str) -> str:
    """What the names of a run's temporary folders begin with."""
    return f"acrobat-{token}-"


def main(arguments: Sequence[str]) -> None:
    """Wait, then kill and tidy up."""
    # A terminal's or a scheduler's signals are for those that are watched.
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    token, end, *watched = arguments
    handles = {}
    try:
        for pid in {end, *watched}:
            handles[pid] = os.pidfd_open(int(pid))
        select.select([*handles.values()], [], [])
    except ProcessLookupError:
        pass  # It has died before we could watch it.
    with contextlib.suppress(KeyError, ProcessLookupError):
        signal.pidfd_send_signal(handles[end], signal.SIGKILL)
    kill_marked(RUN, token)
    for folder in Path(tempfile.gettempdir()).glob(f"{scratch_prefix(token)}*"):
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
