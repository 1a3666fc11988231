"""Mini-batches that are checked and converted once, for training steps that run them often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..runtime.prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatch(PreparedInputs):
    """The instances as they were, for runs other than that of the compiled program, and their
    converted form for that program: None in plain Python, and if they have keys, which differ in
    each step."""

    instances: tuple[Any, ...]
    inputs: PreparedInputs | None

    def __len__(self) -> int:
        return len(self.instances)
