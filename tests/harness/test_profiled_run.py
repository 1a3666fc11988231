"""The activities of a row are those of a usual run, not of whichever came last."""

from __future__ import annotations

import time
from pathlib import Path

from baselines.api import Breakdown
from harness.worker import Worker


class _Sleeper:
    """Takes as long as it is told, all of it in kernels."""

    def __init__(self, milliseconds: list[float]) -> None:
        self.left, self.last = list(milliseconds), 0.0

    def run(self) -> None:
        self.last = self.left.pop(0)
        time.sleep(self.last / 1e3)

    def outputs(self) -> list[object]:
        return []

    def breakdown(self) -> Breakdown:
        return Breakdown(kernel_ms=self.last)


def test_the_run_in_the_middle(tmp_path: Path) -> None:
    worker = Worker()
    # The last of each round counts: 20, 1, 120, and 60 ms.
    worker.system = _Sleeper([1, 20, 1, 1, 120, 1, 60])  # type: ignore[assignment]
    for count in (2, 1, 2, 0, 2):
        worker.answer({"command": "sample", "count": count})
    answer = worker.answer({"command": "finish", "path": str(tmp_path / "out.npz")})
    assert answer["breakdown"]["kernel_ms"] == 20
    assert 20 <= answer["profiled_ms"] < 120
