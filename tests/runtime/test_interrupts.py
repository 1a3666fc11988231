"""Signals in the middle of calls that take long; more of them are `python -m tests.interrupts`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.interrupts import SUBJECTS
from tests.runtime.test_memory_limits import ROOT, run_script

ALARM = """
import signal, threading, time
from tests.interrupts import SUBJECTS

class Late(Exception): pass

def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
for name in ("trees", "kernels of two threads", "decisions", "conversion"):
    subject = SUBJECTS[name]()
    want = subject.short()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        while True: subject.long()
    except Late:
        pass
    print(all(map(np.array_equal, want, subject.short())))
"""

IN_HANDLER = """
import signal
from tests.interrupts import SUBJECTS
signal.signal(signal.SIGINT, signal.default_int_handler)
subject, seen = SUBJECTS["kernels of two threads"](), []
want = subject.short()

def call(*_):
    seen.append(all(map(np.array_equal, want, subject.short())))
    if len(seen) == 3: raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, 0.1)
signal.signal(signal.SIGALRM, call)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    while True: subject.long()
except KeyboardInterrupt:
    print(seen, all(map(np.array_equal, want, subject.short())))
"""

SOON = """
import signal, time
from tests.interrupts import SUBJECTS
signal.signal(signal.SIGALRM, signal.default_int_handler)
for name in ("kernels", "kernels of two threads", "results"):
    subject = SUBJECTS[name]()
    whole, took = subject.moments(), []
    for _ in range(3):
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, whole / 10)
        try:
            subject.long()
            time.sleep(whole)
        except KeyboardInterrupt:
            took.append(time.monotonic() - began)
    print(min(took) < 0.75 * whole)
"""

OTHER_THREAD = """
import signal, threading, time
from tests.interrupts import SUBJECTS
signal.signal(signal.SIGINT, signal.default_int_handler)
subject = SUBJECTS["training"]()
want, done = subject.short(), []
thread = threading.Thread(target=lambda: done.append(len(subject.long())))
thread.start()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True: time.sleep(0.01)
except KeyboardInterrupt:
    pass
thread.join()
print(done, all(map(np.array_equal, want, subject.short())))
"""


@pytest.mark.slow
@pytest.mark.slow
def test_ctrl_c_at_random_moments() -> None:
    """The moments are random, the limit is far above what is seen: other processes run, too."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.interrupts", "--times", "2", "--most", "3000"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(SUBJECTS)


@pytest.mark.slow
def test_any_exception_of_a_handler_comes_out() -> None:
    assert run_script(ALARM).split() == ["True"] * 4


@pytest.mark.slow
def test_a_long_batch_is_left_in_the_middle() -> None:
    assert run_script(SOON).split() == ["True"] * 3


@pytest.mark.slow
def test_a_handler_may_call_the_model_that_it_interrupts() -> None:
    assert run_script(IN_HANDLER).strip() == "[True, True, True] True"


@pytest.mark.slow
def test_a_call_of_another_thread_is_not_interrupted() -> None:
    assert run_script(OTHER_THREAD).strip() == "[2] True"
