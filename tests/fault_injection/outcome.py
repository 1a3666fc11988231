"""What a process that may be hit by a fault says of itself."""

from __future__ import annotations

import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat.background import finish
from tests.fault_injection.subjects import Subject

RIGHT = "right"
PATIENCE_S = 240.0


def attempt(subject: Subject) -> str:
    """Compile and run: RIGHT, the name of a public error, or what went wrong."""
    return named(lambda: judged(subject, subject.compile()(subject.instances)))


def judged(subject: Subject, results: list[Any]) -> str:
    """Of results."""
    return RIGHT if subject.is_right(results) else f"bad: other numbers of {subject.name}"


def named(body: Callable[[], str]) -> str:
    """What `body` says, or the public error that it raised."""
    try:
        return body()
    except ab.AcrobatError as error:
        return type(error).__name__
    except BaseException:
        return f"bad: {traceback.format_exc()[-3000:]}"


@dataclass
class Child:
    """A forked process, and the pipe on which it says how it ended."""

    pid: int
    pipe: int

    def killed(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def outcome(self, end: float) -> str:
        """What it said. It has until `end`, by time.monotonic."""
        said = b""
        while True:
            ready, _, _ = select.select([self.pipe], [], [], max(end - time.monotonic(), 0))
            if not ready:
                self.killed()
                said = b"bad: it hung"
                break
            more = os.read(self.pipe, 1 << 16)
            if not more:
                break
            said += more
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status) and said != b"bad: it hung":
            return f"bad: {signal.Signals(os.WTERMSIG(status)).name}"
        return said.decode() or "bad: it said nothing"


def fork(body: Callable[[], str]) -> Child:
    """A child that says what `body` returns, and ends."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(out)
        try:
            os.write(into, named(body).encode())
            finish()  # builds in the background end, as they do with any process
        finally:
            os._exit(0)
    os.close(into)
    return Child(pid, out)
