"""The choice among matrix kernels, and that each of them computes the product."""

from __future__ import annotations

import functools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from baselines.shared import clock, gemm  # noqa: E402
from baselines.shared.clock import fastest  # noqa: E402
from baselines.shared.gemm import Linear  # noqa: E402
from baselines.shared.place import Place  # noqa: E402

CPU = Place("cpu")


@pytest.fixture(autouse=True)
def short_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which kernel is the fastest is not what is asked, or the clock is not the machine's."""
    monkeypatch.setattr(gemm, "_MOST_REPEATS", 1)


@pytest.mark.parametrize("rows", [1, 3, 8, 200])
def test_every_kernel_is_the_product(rows: int) -> None:
    rng = np.random.default_rng(0)
    w, b, x = (rng.standard_normal(s).astype(np.float32) for s in ((64, 96), 96, (rows, 64)))
    linear = Linear(CPU, w, b)
    assert "addmm" in linear.kernels
    with torch.inference_mode():
        for kernel in linear.kernels.values():
            np.testing.assert_allclose(kernel(torch.from_numpy(x)), x @ w + b, atol=1e-4)
        np.testing.assert_allclose(linear(torch.from_numpy(x)), x @ w + b, atol=1e-4)


class FakeClock:
    """A clock that only `sleep` moves: what is chosen by timing is the same on a busy machine."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def fake_clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    fake = FakeClock()
    monkeypatch.setattr(clock, "time", fake)
    return fake


def test_kernels_are_chosen_by_row_count(fake_clock: FakeClock) -> None:
    """Kernels of a known speed, one better for one row, the other for many."""
    linear = Linear(CPU, np.zeros((2, 2), np.float32), np.zeros(2, np.float32))
    used: list[str] = []

    def kernel(name: str, for_one: float, for_many: float) -> object:
        def run(x: torch.Tensor) -> torch.Tensor:  # type: ignore[name-defined]
            used.append(name)
            fake_clock.sleep(for_one if len(x) == 1 else for_many)
            return x

        return run

    linear.kernels = {"a": kernel("a", 0, 0.02), "b": kernel("b", 0.02, 0)}  # type: ignore[dict-item]
    linear._sample_repeats = lambda rows: 1  # type: ignore[method-assign]
    for rows, name in ((1, "a"), (5, "b"), (7, "b"), (100, "b"), (1, "a")):
        linear(torch.zeros(rows, 2))
        assert used[-1] == name
    assert linear.describe() == "a to 1, b to 128"


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "gelu"])
def test_activations_are_torchs(activation: str) -> None:
    rng = np.random.default_rng(1)
    w, b, x = (rng.standard_normal(s).astype(np.float32) for s in ((32, 48), 48, (5, 32)))
    z = torch.from_numpy(x @ w + b)
    want = torch.nn.functional.gelu(z) if activation == "gelu" else getattr(torch, activation)(z)
    with torch.inference_mode():
        for kernel in Linear(CPU, w, b, activation).kernels.values():
            np.testing.assert_allclose(kernel(torch.from_numpy(x)), want, atol=1e-5)
        unbiased = Linear(CPU, w, None, activation)
        again = Linear(CPU, w, 0 * b, activation)
        np.testing.assert_allclose(
            unbiased(torch.from_numpy(x)), again(torch.from_numpy(x)), atol=1e-6
        )


def test_fastest(fake_clock: FakeClock) -> None:
    pauses = {"slow": 0.02, "fast": 0.0, "slower": 0.03}
    assert fastest({n: functools.partial(fake_clock.sleep, p) for n, p in pauses.items()}) == "fast"
    assert fastest({"only": lambda: 1 / 0}) == "only"
