"""Children forked while other threads call the model, and Ctrl-C in calls that do not end."""

from __future__ import annotations

import pytest

from tests.runtime.test_memory_limits import run_script

FORKS = """
import gc, signal, threading, time
fast = ab.compile(encode, weights(), "cpu", ab.Options(threads=2))
batch = trees(20, 3)
want, stop = fast(batch), threading.Event()

def call():
    while not stop.is_set():
        assert all(map(np.array_equal, want, fast(batch)))

threads = [threading.Thread(target=call) for _ in range(3)]
for thread in threads: thread.start()
children = []
for number in range(9):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(100)  # a child that hangs
            if number % 3 == 0:  # it calls the model, then drops it
                assert all(map(np.array_equal, want, fast(batch)))
            if number % 3 == 1:  # it compiles another one
                assert fast.is_compiled
                again = ab.compile(encode, weights(), "cpu", ab.Options(threads=2))
                assert all(map(np.array_equal, want, again(batch)))
            del fast
            gc.collect()
            status = 0
        finally:
            os._exit(status)
    children.append(child)
statuses = [os.waitpid(child, 0)[1] for child in children]
stop.set()
for thread in threads: thread.join()
print(statuses)
"""

ENDLESS = """
import signal, threading, time
from tests.runtime.kept_models import count
signal.signal(signal.SIGINT, signal.default_int_handler)
for model, endless, last in ((step, (X, 10**12), (X, 2)), (count, 0, -1)):
    for fibers in (True, False):
        fast = ab.compile(model, weights(), "cpu", ab.Options(fibers=fibers, threads=1))
        for _ in range(2):
            begin = time.monotonic()
            threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
            try:
                fast([endless])
            except KeyboardInterrupt:
                print(time.monotonic() - begin < 20)
        print(len(fast([last])))
"""


@pytest.mark.slow
def test_children_that_are_forked_while_threads_call() -> None:
    assert run_script(FORKS).strip() == str([0] * 9)


@pytest.mark.slow
def test_ctrl_c_in_loops_without_an_end() -> None:
    """One that computes, one that only counts; with fibers and without."""
    assert run_script(ENDLESS).split() == ["True", "True", "1"] * 4
