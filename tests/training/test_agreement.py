"""The commands that compare gradients, on little."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.lang.params import weights
from acrobat.training.differentiable import Differentiable
from tests.programs.generator.program import write_program
from tests.training.agreement import agreement
from tests.training.models import loss
from tests.training.models import weights as drawn
from tests.training.random_gradients import WrongGradientError, try_gradients


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", workloads.NAMES)
def test_workloads(name: str) -> None:
    pytest.importorskip("torch")
    for found in agreement(name, "tiny", 3, by_torch=True, executor="vm"):
        assert found.is_close, found


@pytest.mark.slow
def test_random_programs(tmp_path: Path) -> None:
    compared = 0
    for seed in range(20):
        compared += try_gradients(write_program(random.Random(seed), "vm"), tmp_path).compared
        if compared >= 4:
            return
    pytest.fail(f"of 20 programs {compared} instances were compared")


def test_a_wrong_gradient_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        def __init__(self, run: object, params: object) -> None:
            self.run, self.params = run, params

        def pull_back(self, cotangents: object) -> dict[str, np.ndarray]:
            return {
                path: np.full(w.shape, 7, np.float32) for path, w in weights(self.params).items()
            }

    original = Differentiable.forward

    def forward(self: Differentiable, instances: list[object]) -> Wrong:
        return Wrong(original(self, instances), self.params)

    monkeypatch.setattr(Differentiable, "forward", forward)
    with pytest.raises(WrongGradientError, match="the tape:"):
        for seed in range(3):
            try_gradients(write_program(random.Random(seed), "vm"), tmp_path)


@pytest.mark.slow
def test_a_step_that_does_not_fit_and_the_next() -> None:
    """The forward run fits, the way back does not."""
    many = [([1, 2, 3, 4] * 8, 1)] * 400
    wide = ab.gradients(loss, drawn(), options=ab.Options(threads=1))
    wide(many)
    limit = int(wide.last_profile.peak_mem_mb) + 1  # of the forward run
    step = ab.gradients(loss, drawn(), options=ab.Options(threads=1, memory_mb=limit))
    for number in (0, 1):
        with pytest.raises(ab.CapacityError, match="memory_mb"):
            step(many)
        assert step.number == number
        losses, grads = step(many[:3])
        np.testing.assert_allclose(losses, wide(many[:3])[0], rtol=1e-6)
        assert np.asarray(grads.out).any()
