"""A process that kills others once a process they depend on has died: `guard.py TOKEN END WATCH...`

A killed process (signal 9) cannot end the processes that it started: compilers, workers and their
children would keep running during the next measurement. The guard sleeps until one of the processes
WATCH is gone, however it ended, then kills the process END and every other process with TOKEN in
its environment, which is inherited, and removes the temporary folders named after TOKEN. The script
uses only the standard library, so that it starts in a few milliseconds.
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

# The environment variables that mark all processes started by a run, and by one of its workers.
RUN, WORKER = "ACROBAT_RUN", "ACROBAT_WORKER"
# Killing is repeated, since a killed process may just have started another one.
_ROUNDS, _PAUSE_S = 50, 0.02


def marked(name: str, value: str) -> list[int]:
    """The processes started with this environment variable, except our own; none on a system
    without /proc."""
    wanted = f"{name}={value}".encode()
    found = []
    for pid in _processes():
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue  # It belongs to another user, or has just ended.
        if wanted in environment.split(b"\0") and pid != os.getpid():
            found.append(pid)
    return found


def kill_marked(name: str, value: str) -> bool:
    """Kill all processes that `marked` finds, and those that they start meanwhile; return whether
    there were any."""
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
    """Kill all processes of a session except its leader, whatever their environment."""
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
    """The prefix of the names of a run's temporary folders."""
    return f"acrobat-{token}-"


def main(arguments: Sequence[str]) -> None:
    """Wait, then kill and clean up."""
    # Signals from a terminal or a scheduler are meant for the watched processes.
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    token, end, *watched = arguments
    handles = {}
    try:
        for pid in {end, *watched}:
            handles[pid] = os.pidfd_open(int(pid))
        select.select([*handles.values()], [], [])
    except ProcessLookupError:
        pass  # It died before we could watch it.
    with contextlib.suppress(KeyError, ProcessLookupError):
        signal.pidfd_send_signal(handles[end], signal.SIGKILL)
    kill_marked(RUN, token)
    for folder in Path(tempfile.gettempdir()).glob(f"{scratch_prefix(token)}*"):
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
