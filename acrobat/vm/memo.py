"""The memo table of the calls in a mini-batch: runtime/src/memo.cc reimplemented in Python."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from typing import Any

from .node import Handle
from .tasks import MemoCall, Task


class Memo:
    """The memoised calls of one mini-batch. `shared`: the identities of the objects that more than
    one path leads to."""

    def __init__(self, shared: frozenset[int]) -> None:
        self.shared = shared
        self._calls: dict[tuple[Hashable, ...], MemoCall] = {}
        self._awake: list[Task] = []

    def call(self, name: str, args: Sequence[Any]) -> MemoCall | None:
        """Return the entry for a call of function `name` with these arguments, or None if none of
        them is a shared object."""
        if not self.shared or all(id(a) not in self.shared for a in args):
            return None
        key = (name, *map(_key, args))
        return self._calls.setdefault(key, MemoCall(args))

    def end(self, call: MemoCall, results: list[Any], task: Task, epoch: int) -> None:
        """Note what the call returned, and wake the tasks that wait for it."""
        call.results, call.depth, call.phase, call.epoch = results, task.depth, task.phase, epoch
        call.runner = None
        self._awake += reversed(call.waiting)
        call.waiting.clear()

    def awake(self) -> list[Task]:
        """Return the tasks that were woken since the last call of this method."""
        awake, self._awake = self._awake, []
        return awake

    def waits(self) -> bool:
        """Whether some task still waits."""
        return any(call.waiting for call in self._calls.values())


def _key(value: Any) -> Hashable:
    """Return a key that is equal for the same value: numbers compare by their bits, and all else
    by identity."""
    match value:
        case int() | str():
            return value
        case float():
            return struct.pack("d", value)
        case Handle():
            return value
        case _:
            return id(value)
