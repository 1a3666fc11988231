"""Compiled gradients beside those of the tape in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import acrobat as ab
from acrobat.backward.compiled import compiled_vjp
from acrobat.lang.params import weights
from acrobat.training.on_tape import TapeRun

VM = {"executor": "vm"}


def compiled(
    model: Any, params: Any, instances: Sequence[Any], seed: int = 0, **options: Any
) -> dict[str, np.ndarray]:
    """The gradients of the weights, for cotangents that are drawn."""
    fast = ab.compile(model, params, target="cpu", options=ab.Options(**options))
    run = compiled_vjp(fast).forward(instances)
    judge = TapeRun(model, params, tuple(weights(params)))
    judge.forward(instances)
    found = run.pullback(drawn(judge, seed))
    return {path: np.asarray(g) for path, g in found.items()}


def drawn(run: TapeRun, seed: int) -> list[list[np.ndarray]]:
    """Cotangents for the tensors of all results."""
    rng = np.random.default_rng(seed)
    return [
        [rng.standard_normal(t.shape).astype(np.float32) for t in tensors]
        for tensors in run.tensors
    ]


def taped(
    model: Any, params: Any, instances: Sequence[Any], seed: int = 0
) -> dict[str, np.ndarray]:
    """The same by the tape, in float64."""
    run = TapeRun(model, params, tuple(weights(params)), dtype=np.float64)
    run.forward(instances)
    run.backward(dict(enumerate(drawn(run, seed))))
    return {path: np.asarray(g) for path, g in run.gradients().items()}


def check(model: Any, params: Any, instances: Sequence[Any], **options: Any) -> None:
    """AssertionError unless every gradient is within 1e-4 of the tape's, of its own size."""
    got = compiled(model, params, instances, **options)
    want = taped(model, params, instances)
    assert set(got) == set(weights(params))
    for path, gradient in got.items():
        right = want.get(path, np.zeros_like(gradient))
        assert gradient.shape == right.shape, path
        off = np.linalg.norm(gradient - right)
        assert off <= 1e-4 * np.linalg.norm(right) + 1e-6, (path, off, np.linalg.norm(right))
