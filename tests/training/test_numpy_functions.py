"""Functions of numpy in a model that is trained: the tape of plain Python knows their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def loss(p: P, xs: list[int]) -> Any:
    m = np.stack([p.emb[x] @ p.w for x in xs])
    h = np.mean(m, axis=0) + np.max(m, axis=0) + np.min(m, axis=0) * np.linalg.norm(p.b)
    h = h + np.clip(h, -0.5, 0.5) + np.where(h > 0, h, p.b) + np.cumsum(h) + np.dot(h, p.w)
    h = h + np.vstack([h, p.b])[0] + np.concatenate([h, p.b])[:4] + np.hstack([h, p.b])[2:6]
    q = np.outer(h, p.b) + np.transpose(p.w)
    q = q + np.reshape(np.concatenate((p.w, p.w), axis=0), (8, 4))[:4]
    ones = np.zeros_like(h) + np.ones_like(h)
    return (
        np.sum(q) + np.sum(h * np.linalg.norm(p.w, axis=1)) + q[np.argmax(h), 0] + ops.dot(ones, h)
    )


@pytest.mark.usefixtures("interpreted_kernels")
def test_gradients_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    shapes = {"emb": (9, 4), "w": (4, 4), "b": (4,)}
    p = P(**{n: random.normal(size=s).astype(np.float32) for n, s in shapes.items()})
    instances = [[1, 2], [3], [8, 8, 0]]
    losses, gradients = ab.gradients(loss, p)(instances)
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    expected_losses, expected = ab.gradients(loss, p)(instances)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-4)
    for name in shapes:
        one, other = (getattr(g, name) for g in (gradients, expected))
        one, other = (g.dense() if hasattr(g, "dense") else g for g in (one, other))
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)
