"""The parent's side of a worker: start it, send it requests, and say why it failed.

Whatever the worker does, and whatever happens to it, the only error here is WorkerFailure: it may
die, hang, close its pipes, fill them, or leave children behind that hold them open.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from typing import Any

from .environment import ROOT
from .guard import WORKER, kill_marked, kill_session
from .json_text import parse
from .printable import printable
from .tied import run_token
from .worker_limits import broken_limit, most_memory

# The last characters of a worker's standard error go into a row; more would not be read.
_REASON_CHARACTERS = 400
# Interval at which a worker without an answer is checked; timed samples are usually over by then.
_LOOK_S = 0.25
# Seconds for a killed worker to disappear.
_ENDED_S = 10.0
# Bytes of an answer (the longest are lists of times), and characters of a reason.
_LONGEST, _LONGEST_REASON = 1 << 24, 4000


class WorkerFailure(Exception):
    """The worker gave no valid answer. `status` is the row's, `reason` says why."""

    def __init__(self, status: str, reason: str) -> None:
        self.status, self.reason = status, printable(reason, _LONGEST_REASON)
        super().__init__(self.reason)


class WorkerProcess:
    """A process `python -m harness.start_worker`, where `python` is the interpreter; it handles one
    request and one answer at a time, as lines of JSON."""

    def __init__(self, threads: int, python: str = sys.executable) -> None:
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TVM_NUM_THREADS")
        run_token()
        # Its children inherit this token in their environment, and its answers begin with it.
        self._token = uuid.uuid4().hex
        env = {**os.environ, **dict.fromkeys(names, str(threads)), WORKER: self._token}
        if python != sys.executable:  # It does not know where the checkout is.
            paths = [*filter(None, [env.get("PYTHONPATH")]), str(ROOT)]
            env |= {"PYTHONPATH": os.pathsep.join(paths)}
        # Idle OpenMP threads go to sleep after 10 ms instead of spinning for 200.
        env |= {"KMP_BLOCKTIME": "10", "GOMP_SPINCOUNT": "1000000"}
        self._memory = most_memory()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [python, "-m", "harness.start_worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=env,
            # Ctrl-C in a terminal is meant for the parent, which then ends its workers.
            start_new_session=True,
        )
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def _read(self) -> None:
        """Queue answers, and discard anything else from the pipe."""
        start = self._token.encode()
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while line := pipe.readline(_LONGEST):
                if line.startswith(start) and line.endswith(b"\n"):
                    self._answers.put(line[len(start) :])
        self._answers.put(b"")

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer to `request`; WorkerFailure if none arrives in time."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._death() from None
        line = self._wait(f"no answer to {request['command']!r} within {timeout_s:g} s", timeout_s)
        if not line:
            raise self._death()
        try:
            answer = parse(line.decode())
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise WorkerFailure("error", "its process gave an answer that cannot be read")
        if "failure" in answer:
            status = answer.get("status")
            known = status if status in ("oom", "skipped") else "error"
            raise WorkerFailure(known, str(answer["failure"]))
        self._look()
        return answer

    def _look(self) -> None:
        """Raise WorkerFailure if the worker exceeds its resource limits."""
        printed = os.fstat(self._stderr.fileno()).st_size
        if broken := broken_limit(self.pid, self._memory, printed):
            self._process.kill()
            raise WorkerFailure(*broken)

    def _wait(self, late: str, timeout_s: float) -> bytes:
        """The next answer; empty if the process ended or closed the pipe without one."""
        end = time.monotonic() + timeout_s
        while True:
            left = end - time.monotonic()
            try:
                return self._answers.get(timeout=max(0.0, min(_LOOK_S, left)))
            except queue.Empty:
                pass
            # A child of the worker may hold the pipe open.
            if self._process.poll() is not None:
                try:
                    return self._answers.get(timeout=_LOOK_S)
                except queue.Empty:
                    return b""
            self._look()
            if left <= 0:
                self._process.kill()
                raise WorkerFailure("timeout", late)

    def _death(self) -> WorkerFailure:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return WorkerFailure("error", "the process closed its pipes, without an answer")
        size = os.fstat(self._stderr.fileno()).st_size
        last = os.pread(self._stderr.fileno(), 1 << 12, max(0, size - (1 << 12)))
        tail = last.decode(errors="replace").strip()[-_REASON_CHARACTERS:]
        if code == -9:
            return WorkerFailure("oom", "the process was killed (signal 9), as by lack of memory")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = f": {tail}" if tail else ", and said nothing"
        return WorkerFailure("error", f"the process ended with {how}{said}")

    def close(self) -> None:
        """End the worker and all processes that it started."""
        if self._process.poll() is None:
            self._process.kill()
        # The worker's number identifies its session while any process is left in it.
        kill_session(self.pid)
        # A process that cannot be killed because it waits for a driver is left behind.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDED_S)
        kill_marked(WORKER, self._token)
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._stderr.close()
