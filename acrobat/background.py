"""Work in a background thread, or done by whoever waits for it if no thread could be started.

`threading.Thread.start`, and with it every pool of `concurrent.futures`, waits until the new thread
reports that it runs: forever, if there is no memory left for it to do so
(github.com/python/cpython/issues/140746). Nothing here waits for a thread to begin.
"""

from __future__ import annotations

import _thread
import atexit
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Background(Generic[Result]):
    """`work()`, begun at once by a thread of its own. The interpreter does not exit before what
    has begun has ended, unless it is a `daemon`; a forked child does not have its parent's."""

    def __init__(self, work: Callable[[], Result], daemon: bool = False) -> None:
        self._work: Callable[[], Result] | None = work
        self._result: Result | None = None
        self._error: BaseException | None = None
        # Held by whoever does the work.
        self._turn = threading.Lock()
        self._begun = threading.Event()
        if not daemon:
            _unfinished.add(self)
        try:
            _thread.start_new_thread(self._run, ())
        except (RuntimeError, MemoryError):  # there are no more threads
            _unfinished.discard(self)

    def result(self) -> Result:
        """What the work gave. Raises what it raised."""
        with self._turn:
            self._do()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # None only if that was the result

    def begun(self, seconds: float) -> bool:
        """Whether a thread has begun the work. It is waited for so long."""
        return self._begun.wait(seconds)

    def _run(self) -> None:
        with self._turn:
            self._begun.set()
            try:
                self._do()
            finally:
                _unfinished.discard(self)

    def _do(self) -> None:
        if self._work is None:
            return
        try:
            self._result = self._work()
        except (KeyboardInterrupt, SystemExit):  # of whoever waits, who may come again
            raise
        except BaseException as error:
            self._error = error
        self._work = None


def each(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """`function` of every item, so many at once. An error is raised once all workers have ended;
    the one that met it begins no other item."""
    waiting, done = list(enumerate(items))[::-1], dict[int, Result]()

    def work() -> None:
        while True:
            try:
                index, item = waiting.pop()
            except IndexError:
                return
            done[index] = function(item)

    errors = list[Exception]()
    for task in [Background(work) for _ in range(min(workers, len(items)))]:
        try:
            task.result()
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return [done[index] for index in range(len(items))]


_unfinished: set[Background[Any]] = set()


@atexit.register
def finish() -> None:
    """Wait for what has begun."""
    for task in list(_unfinished):
        if task.begun(0):
            with task._turn:
                pass


os.register_at_fork(after_in_child=_unfinished.clear)
