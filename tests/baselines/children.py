"""Processes that answer one question after the other. A system runs in a process of its own,
because the threads of PyTorch, TVM and DyNet disturb each other; but importing them takes seconds,
so a process is kept for the next test of the same system, or of another one on PyTorch alone."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import baselines

ROOT = Path(__file__).resolve().parents[2]
# Systems that import PyTorch and none of what it disturbs.
PYTORCH = ("torch_eager", "torch_batched", "torch_compile", "floor")
TIMEOUT = 1800  # seconds; only what hangs takes so long, also on a busy machine


class Child:
    """`python SCRIPT` with an interpreter, whose main program calls `answer`, on one thread."""

    def __init__(self, script: Path, python: str = sys.executable) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        # Another interpreter than this one may not know where the checkout is.
        paths = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
        self.process = subprocess.Popen(
            [python, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths},
        )

    def ask(self, *question: str) -> Any:
        """What the child answers. AssertionError with what it wrote to stderr if it fails, or does
        not answer in time, which ends it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        late = threading.Timer(TIMEOUT, self.process.kill)
        late.start()
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late.cancel()
        if not line:
            code = self.process.wait()
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace")
            raise AssertionError(f"the process ended ({code}) at {question}:\n{said[-8000:]}")
        answer = json.loads(line)
        assert "failed" not in answer, answer["failed"]
        return answer["answer"]

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        self.errors.close()


# The last one that was asked, its script, and what it runs: there is one at a time.
_child: Child | None = None
_asked: tuple[Path, str] | None = None


def ask(script: Path, system: str, *question: str) -> Any:
    """The answer of `script` to a question about `system`, SYSTEM[:VARIANT], from the process that
    answered the last one about it, or a new one."""
    global _child, _asked
    name = system.partition(":")[0]
    runs = script, "PyTorch" if name in PYTORCH else name
    if _child is None or _asked != runs or _child.process.poll() is not None:
        end()
        python = baselines.record(name).python if name in baselines.names() else sys.executable
        _child, _asked = Child(script, python), runs
    return _child.ask(system, *question)


def end() -> None:
    """End the process that waits for questions, if there is one."""
    global _child, _asked
    if _child is not None:
        _child.end()
    _child = _asked = None


atexit.register(end)


def answer(respond: Callable[..., object]) -> None:
    """The main program of a script: `respond` to every question, until there are no more. What it
    prints goes to stderr; an exception is an answer, too."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            reply: dict[str, object] = {"answer": respond(*json.loads(line))}
        except Exception:
            reply = {"failed": traceback.format_exc()}
        print(json.dumps(reply), file=answers, flush=True)
