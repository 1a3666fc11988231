"""A measurement that is told to end ends, whatever Python happens to do when the signal comes."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# Within `__del__`, where Python drops exceptions.
_DROPPED = """
import os, signal, sys, time
from harness.tied import end_orderly
# What runs under `nohup` or in the background of a shell inherits that they are ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
end_orderly()
class Garbage:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000):
            pass
try:
    Garbage()
    time.sleep(60)
finally:
    print("cleaned up")
"""
_OTHER = """
import sys
from harness.tied import end_orderly
end_orderly()
class Garbage:
    def __del__(self):
        raise ValueError("of its own")
Garbage()
print("went on")
"""


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -signal.SIGINT)],
)
def test_a_signal_within_a_finalizer_is_not_lost(number: int, code: int) -> None:
    ended = _run(_DROPPED, str(int(number)))
    assert (ended.returncode, ended.stdout) == (code, "cleaned up\n")
    assert "Exception ignored" not in ended.stderr


def test_other_exceptions_within_a_finalizer_are_reported_as_ever() -> None:
    ended = _run(_OTHER)
    assert (ended.returncode, ended.stdout) == (0, "went on\n")
    assert "Exception ignored" in ended.stderr and "ValueError: of its own" in ended.stderr
