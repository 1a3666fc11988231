"""The memo table of calls in this mini-batch: src/memo.cc reimplemented in Python."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from typing import Any

from .node import Handle
from .tasks import MemoCall, Task


class Memo:
    """Of one mini-batch; `shared` are the identities of objects that more than one path leads
    to."""

    def __init__(self, shared: frozenset[int]) -> None:
        self.shared = shared
        self._calls: dict[tuple[Hashable, ...], MemoCall] = {}
        self._awake: list[Task] = []

    def call(self, name: str, args: Sequence[Any]) -> MemoCall | None:
        """The calls of that function with these arguments; None if it has no shared object."""
        if not self.shared or all(id(a) not in self.shared for a in args):
            return None
        key = (name, *map(_key, args))
        return self._calls.setdefault(key, MemoCall(args))

    def end(self, call: MemoCall, results: list[Any], task: Task, epoch: int) -> None:
        """Note what it returned; those that waited for it go on."""
        call.results, call.depth, call.phase, call.epoch = results, task.depth, task.phase, epoch
        call.runner = None
        self._awake += reversed(call.waiting)
        call.waiting.clear()

    def awake(self) -> list[Task]:
        """The tasks whose waiting is over since this was asked last."""
        awake, self._awake = self._awake, []
        return awake

    def waits(self) -> bool:
        """Whether some task still waits."""
        return any(call.waiting for call in self._calls.values())


def _key(value: Any) -> Hashable:
    """Equal for the same value: numbers by their bits, all else by identity."""
    match value:
        case int() | str():
            return value
        case float():
            return struct.pack("d", value)
        case Handle():
            return value
        case _:
            return id(value)
