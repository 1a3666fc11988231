"""What a soak does with a subject. Every action is right or raises."""

from __future__ import annotations

import os
import pickle
import random
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.soak.subjects import Subject

SIZES = (0, 1, 1, 2, 3, 5, 8, 13, 30, 64, 200)
# Seconds after which a forked child counts as hanging.
PATIENCE = 120.0

_kept: deque[tuple[Subject, list[int], list[Any]]] = deque(maxlen=60)


def drop_kept() -> None:
    """Results that were kept no longer are."""
    _kept.clear()


def _choose(subject: Subject, draw: random.Random) -> list[int]:
    return draw.choices(range(len(subject.instances)), k=draw.choice(SIZES))


def _run(subject: Subject, chosen: list[int]) -> list[Any]:
    results: list[Any] = subject.fast([subject.instances[i] for i in chosen])
    return results


def call(subject: Subject, draw: random.Random) -> None:
    chosen = _choose(subject, draw)
    subject.check(chosen, _run(subject, chosen))


def run_prepared(subject: Subject, draw: random.Random) -> None:
    chosen, fast = _choose(subject, draw), subject.fast
    inputs = fast.prepare([subject.instances[i] for i in chosen])
    for _ in range(2):
        subject.check(chosen, fast.run(inputs))


def keep(subject: Subject, draw: random.Random) -> None:
    """Results are kept, and those that were kept earlier must not have changed."""
    chosen = _choose(subject, draw)
    _kept.append((subject, chosen, _run(subject, chosen)))
    earlier, its, results = _kept[draw.randrange(len(_kept))]
    earlier.check(its, results)


def refuse(subject: Subject, draw: random.Random) -> None:
    """An instance that is wrong, among others: its error, and nothing else happens."""
    instance, error = draw.choice(subject.wrong)
    batch = [subject.instances[i] for i in _choose(subject, draw)]
    batch.insert(draw.randrange(len(batch) + 1), instance)
    try:
        subject.fast(batch)
    except error:
        return
    raise AssertionError(f"{subject.name}: {error.__name__} was expected")


def compile_again(subject: Subject, draw: random.Random) -> None:
    """Another thread may be running what is replaced."""
    del draw
    subject.fast = type(subject.fast)(
        subject.model, subject.params, subject.options, subject.fast.target
    )


def describe(subject: Subject, draw: random.Random) -> None:
    fast = subject.fast
    inputs = fast.prepare([subject.instances[i] for i in _choose(subject, draw)])
    assert fast.count_least_batches(inputs) >= 0
    fast.run(inputs)
    assert fast.last_profile.n_nodes >= 0 and fast.explain()


def pickle_it(subject: Subject, draw: random.Random) -> None:
    chosen = _choose(subject, draw)
    copy = pickle.loads(pickle.dumps(subject.fast))
    subject.check(chosen, copy([subject.instances[i] for i in chosen]))


# By any thread, and how often.
BY_THREADS: dict[Callable[[Subject, random.Random], None], int] = {
    call: 40,
    run_prepared: 15,
    keep: 20,
    refuse: 12,
    describe: 5,
    compile_again: 2,
    pickle_it: 1,
}


def fork(subject: Subject, draw: random.Random) -> None:
    """A child, forked while other threads run models, runs one, drops it, and ends."""
    chosen = _choose(subject, draw)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            subject.check(chosen, _run(subject, chosen))
            subject.fast = None
            drop_kept()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + PATIENCE
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"{subject.name}: a forked child hung")
        time.sleep(0.005)
    assert status == 0, f"{subject.name}: a forked child ended with {status}"


def interrupt(subject: Subject, draw: random.Random) -> None:
    """Ctrl-C at some moment of a call: it is raised then or later, and nothing is lost by it."""
    chosen = _choose(subject, draw)
    after = draw.uniform(0, 0.004)
    timer = threading.Timer(after, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        subject.check(chosen, _run(subject, chosen))
        time.sleep(1)
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError(f"{subject.name}: Ctrl-C went unnoticed")
    finally:
        timer.join()
    subject.check(chosen, _run(subject, chosen))


# By the main thread alone, and how often.
BY_MAIN_THREAD: dict[Callable[[Subject, random.Random], None], int] = {
    call: 10,
    fork: 3,
    interrupt: 3,
}
