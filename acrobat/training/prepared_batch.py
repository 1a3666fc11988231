"""Mini-batches that were checked and converted once, for training steps that run them often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..runtime.prepared import PreparedInputs


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatch(PreparedInputs):
    """The instances as they were, for whatever runs them beside the compiled program, and that
    program's own form of them: None where plain Python runs, and where they have keys, which are
    others in each step."""

    instances: tuple[Any, ...]
    inputs: PreparedInputs | None

    def __len__(self) -> int:
        return len(self.instances)
