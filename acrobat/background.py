"""Work in a background thread, or in the waiting thread if no other could be started.

`threading.Thread.start`, and thus every pool of `concurrent.futures`, waits until the new thread
reports that it is running: forever, if there is not enough memory for the report
(github.com/python/cpython/issues/140746). Nothing here requires a thread to start.
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
    """Starts `work()` immediately in a new thread. The interpreter does not exit before work that
    has started is finished, unless it is a `daemon`; a forked child does not wait for its parent's
    work."""

    def __init__(self, work: Callable[[], Result], daemon: bool = False) -> None:
        self._work: Callable[[], Result] | None = work
        self._result: Result | None = None
        self._error: BaseException | None = None
        # Held by the thread that does the work.
        self._turn = threading.Lock()
        self._begun = threading.Event()
        if not daemon:
            _unfinished.add(self)
        try:
            _thread.start_new_thread(self._run, ())
        except (RuntimeError, MemoryError):  # no more threads can be started
            _unfinished.discard(self)

    def result(self) -> Result:
        """Return what the work returned, or raise what it raised."""
        with self._turn:
            self._do()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # None only if that was the result

    def begun(self, seconds: float) -> bool:
        """Wait up to `seconds` for a thread to start the work; return whether one has."""
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
        except (KeyboardInterrupt, SystemExit):  # in the waiting thread, which may call again
            raise
        except BaseException as error:
            self._error = error
        self._work = None


def each(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Apply `function` to every item, to up to `workers` of them at once. An error is raised once
    all workers have finished; the worker that met it starts no other item."""
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
    """Wait for the work that has started."""
    for task in list(_unfinished):
        if task.begun(0):
            with task._turn:
                pass


os.register_at_fork(after_in_child=_unfinished.clear)
