"""The activities of a row are those of a usual run, not of whichever came last."""

from __future__ import annotations

from pathlib import Path

import pytest

import harness.worker
from baselines.api import Breakdown
from harness.worker import Worker


class _System:
    """Takes as long as it is told by a clock of its own, all of it in kernels."""

    def __init__(self, milliseconds: list[float]) -> None:
        self.left, self.last, self.now = list(milliseconds), 0.0, 0.0

    def perf_counter(self) -> float:
        return self.now

    def run(self) -> None:
        self.last = self.left.pop(0)
        self.now += self.last / 1e3

    def outputs(self) -> list[object]:
        return []

    def breakdown(self) -> Breakdown:
        return Breakdown(kernel_ms=self.last)


@pytest.mark.slow
def test_the_run_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    # The last of each round counts: 20, 1, 120, and 60 ms.
    system = _System([1, 20, 1, 1, 120, 1, 60])
    worker.system = system  # type: ignore[assignment]
    monkeypatch.setattr(harness.worker, "_clock", system.perf_counter)
    for count in (2, 1, 2, 0, 2):
        worker.answer({"command": "sample", "count": count})
    answer = worker.answer({"command": "finish", "path": str(tmp_path / "out.npz")})
    assert answer["breakdown"]["kernel_ms"] == 20
    assert answer["profiled_ms"] == pytest.approx(20)
