"""A worker ends with the process that started it, also while it is still starting."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# As the parent's side starts it: in a session of its own, with a pipe.
PARENT = """
import os, subprocess, sys, time
worker = subprocess.Popen([sys.executable, "-m", "harness.start_worker", str(os.getpid())],
                          stdin=subprocess.PIPE, start_new_session=True)
print(worker.pid, flush=True)
time.sleep(120)
"""
# In place of what a worker imports.
SLOW = """
import pathlib, time
pathlib.Path({mark!r}).touch()
time.sleep(120)
"""


def until(what: str, holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="a parent's death is a signal on Linux alone")
def test_it_ends_while_it_imports(tmp_path: Path) -> None:
    mark = tmp_path / "importing"
    (tmp_path / "numpy.py").write_text(SLOW.format(mark=str(mark)))
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
    )
    assert parent.stdout is not None
    with parent.stdout as told:
        worker = int(told.readline())
        until("it imports nothing", mark.exists)
        parent.kill()
        parent.wait()
    until("it outlives its parent", lambda: not Path(f"/proc/{worker}/cmdline").exists(), 10)
