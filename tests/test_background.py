"""Work in the background ends, whatever becomes of its thread."""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
import threading
import time

import pytest

from acrobat.background import Background, each


def test_a_thread_does_it_and_the_error_is_kept() -> None:
    task = Background(threading.get_ident)
    assert task.begun(100)
    assert task.result() not in (threading.get_ident(), None)
    failed = Background(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            failed.result()


def no_more(*_: object) -> int:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("start", [no_more, lambda *_: 0], ids=["none starts", "it dies at birth"])
def test_without_a_thread_whoever_waits_does_it(
    start: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_thread, "start_new_thread", start)
    assert Background(threading.get_ident).result() == threading.get_ident()
    assert each(lambda x: x * x, range(5), 3) == [0, 1, 4, 9, 16]


def test_each_item_once_in_order_and_at_most_so_many_at_once() -> None:
    now, most, lock = 0, 0, threading.Lock()

    def square(x: int) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.001)
        with lock:
            now -= 1
        return x * x

    assert each(square, range(40), 3) == [x * x for x in range(40)]
    assert most <= 4  # the three, or whoever waits for one that has not begun yet


def test_an_error_of_one_waits_for_the_others() -> None:
    ended = []

    def work(seconds: float) -> None:
        time.sleep(seconds)
        if not seconds:
            raise ValueError("first")
        ended.append(seconds)

    with pytest.raises(ValueError, match="first"):
        each(work, [0.0, 0.05, 0.1], 3)
    assert sorted(ended) == [0.05, 0.1]


BEGUN = """
import time
from acrobat.background import Background
task = Background(lambda: (time.sleep({seconds}), print("ended")), daemon={daemon})
task.begun(100)
"""


@pytest.mark.parametrize(("daemon", "seconds"), [(False, 0.5), (True, 600)])
def test_the_interpreter_waits_for_what_has_begun(daemon: bool, seconds: float) -> None:
    script = BEGUN.format(daemon=daemon, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "" if daemon else "ended\n"), done.stderr


def test_a_forked_child_does_not_wait_for_its_parent() -> None:
    go = threading.Event()
    task = Background(go.wait)
    assert task.begun(100)
    pid = os.fork()
    if pid == 0:
        from acrobat.background import finish

        finish()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    go.set()
    assert task.result() is True
