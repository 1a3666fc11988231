"""The parent's side of a worker: start it, ask it, and say why it failed."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from typing import Any

# One line of a worker's standard error goes into a row; more would not be read.
_REASON_CHARACTERS = 400


class WorkerFailure(Exception):
    """The worker did not answer. `status` is the row's, `reason` says why."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class WorkerProcess:
    """`python -m harness.worker`, one request and one answer at a time, as lines of JSON."""

    def __init__(self, threads: int) -> None:
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TVM_NUM_THREADS")
        env = {**os.environ, **dict.fromkeys(names, str(threads))}
        # Idle OpenMP threads go to sleep after 10 ms instead of spinning for 200.
        env |= {"KMP_BLOCKTIME": "10", "GOMP_SPINCOUNT": "1000000"}
        self._stderr = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=env,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer to `request`; WorkerFailure if there is none in time."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            self._process.kill()
            raise WorkerFailure(
                "timeout", f"no answer to {request['command']!r} within {timeout_s:g} s"
            ) from None
        except BrokenPipeError:
            line = ""
        if not line:
            raise self._death()
        answer: dict[str, Any] = json.loads(line)
        if "failure" in answer:
            raise WorkerFailure(answer["status"], answer["failure"])
        return answer

    def _death(self) -> WorkerFailure:
        code = self._process.wait()
        self._stderr.seek(0)
        tail = self._stderr.read().strip()[-_REASON_CHARACTERS:]
        if code == -9:
            return WorkerFailure("oom", "the process was killed (signal 9), as by lack of memory")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return WorkerFailure("error", f"the process ended with {how}: {tail}")

    def close(self) -> None:
        """End the worker."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._stderr.close()
