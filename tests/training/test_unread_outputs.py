"""What nobody reads makes no gradient NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.lang.params import weights as arrays
from acrobat.training.differentiable import Differentiable


@ab.params
class P:
    w: Float32[Tensor, "H H"]


@ab.model
def overflowing(p: P, x: Float32[Tensor, "H"]) -> tuple[Float32[Tensor, ""], Float32[Tensor, "H"]]:
    h = ops.tanh(x @ p.w)
    return h.sum(), ops.exp(ops.exp(h * 1000.0))


@ab.model
def infinite(p: P, x: Float32[Tensor, "H"]) -> Float32[Tensor, ""]:
    return ops.exp(x @ p.w * 1000.0).sum()


def weights() -> P:
    return P(w=np.eye(4) + 0.1)


X = [np.full(4, 0.5, np.float32), np.full(4, 0.7, np.float32)]


@pytest.fixture
def finer(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The mini-batches that were run once more."""
    calls: list[Any] = []
    original = Differentiable._run_finer

    def run(self: Differentiable, instances: Any, noise: Any) -> Any:
        calls.append(instances)
        return original(self, instances, noise)

    monkeypatch.setattr(Differentiable, "_run_finer", run)
    return calls


@pytest.mark.usefixtures("interpreted_kernels")
def test_an_output_that_is_infinite_and_not_read(
    finer: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = ab.gradients(overflowing, weights(), loss=0, options=ab.Options(executor="vm"))
    losses, grads = step(X)
    assert np.isinf(step.last_results[0][1]).all() and len(finer) == 1
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    want, slopes = ab.gradients(overflowing, weights(), loss=0)(X)
    np.testing.assert_allclose(losses, want, rtol=1e-5)
    np.testing.assert_allclose(grads.w, slopes.w, rtol=1e-4)


@pytest.mark.usefixtures("interpreted_kernels")
def test_weights_that_have_changed_since() -> None:
    p = weights()
    step = ab.gradients(overflowing, p, loss=0, options=ab.Options(executor="vm"))
    _, first = step(X)
    arrays(p)["w"] *= np.float32(0.5)
    _, second = step(X)
    assert np.isfinite(second.w).all() and not np.allclose(first.w, second.w)


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_loss_that_is_infinite_itself(finer: list[Any]) -> None:
    with np.errstate(all="ignore"):
        losses, grads = ab.gradients(infinite, weights(), options=ab.Options(executor="vm"))(X)
    assert np.isinf(losses).all() and not np.isfinite(grads.w).all() and finer == []
