"""The data that every form of a trace reads."""

from __future__ import annotations

from typing import Protocol

from ..runtime.watched_call import Records


class Tables(Protocol):
    """The arrays of a `Trace`, which describes their contents."""

    @property
    def instances(self) -> int: ...
    @property
    def batches(self) -> Records: ...
    @property
    def spans(self) -> Records: ...
    @property
    def waits(self) -> Records: ...
    @property
    def cells(self) -> Records: ...
