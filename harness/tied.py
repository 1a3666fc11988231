"""Processes that end with the process to which they belong, however it is killed.

`python -m harness.tied PID MODULE ARGUMENT...` runs a module that ends, with all processes that it
starts, when the process PID ends: so the pipeline's jobs end when Snakemake is killed.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

from . import guard

_PR_SET_PDEATHSIG = 1
# After which a signal that Python dropped is sent again.
_AGAIN_S = 0.05
# The guards outlive this process.
_guards: list[subprocess.Popen[bytes]] = []


def run_token(watched: int | None = None) -> str:
    """The name of this process's run, which all processes that it starts from now on inherit in
    their environment. The first call starts the guard, which kills all of them when this process or
    the process `watched` ends."""
    own = f"{os.getpid()}-"
    token = os.environ.get(guard.RUN, "")
    if not token.startswith(own):  # There is no token yet, or it is that of an enclosing run.
        token = os.environ[guard.RUN] = own + uuid.uuid4().hex
        _start_guard(token, watched)
    return token


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder, which is removed even if this process is killed."""
    return tempfile.TemporaryDirectory(prefix=guard.scratch_prefix(run_token()))


def end_with(parent: int) -> None:
    """End this process when the thread that started it, one of the process `parent`, ends. This
    covers processes without a guard; with a guard it is a second line of defence."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # It died before the call.
            os.kill(os.getpid(), signal.SIGKILL)


def end_orderly() -> None:
    """Make SIGTERM and SIGHUP raise SystemExit in this process, so that it cleans up as it does
    after an error; a signal that comes while a `__del__` runs is not lost."""

    def leave(number: int, _: object) -> None:
        sys.exit(128 + number)

    for name in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(name) == signal.SIG_DFL:  # `nohup` ignores it.
            signal.signal(name, leave)

    before = sys.unraisablehook

    def send_again(unraisable: sys.UnraisableHookArgs) -> None:
        """Python drops what is raised in a `__del__` or in a callback of the garbage collector:
        the process would go on. Sent from another thread, the signal arrives outside of it."""
        value = unraisable.exc_value
        if isinstance(value, SystemExit) and isinstance(value.code, int) and value.code > 128:
            number = value.code - 128
        elif isinstance(value, KeyboardInterrupt):
            number = int(signal.SIGINT)
        else:
            before(unraisable)
            return
        again = threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()

    sys.unraisablehook = send_again


def _start_guard(token: str, watched: int | None) -> None:
    if not hasattr(os, "pidfd_open"):
        return
    # Without the token, so that the guard does not kill itself; in a separate session, so that
    # signals to ours do not end it.
    env = {name: value for name, value in os.environ.items() if name != guard.RUN}
    watching = [] if watched is None else [str(watched)]
    _guards.append(
        subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                str(Path(guard.__file__)),
                token,
                str(os.getpid()),
                *watching,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=env,
        )
    )


def main() -> None:
    """Run the module named on the command line."""
    watched, module = int(sys.argv[1]), sys.argv[2]
    run_token(watched)
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
