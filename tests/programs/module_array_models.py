"""Models that read arrays of the module."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P

F = np.array([[1, 0.5, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.25], [0, 0, 0, 1]])
STEP = np.linspace(0.0, 1.5, 4)
TABLE = np.sin(np.arange(40.0)).reshape(10, 4).astype(np.float32)
LOW = np.tril(np.ones((4, 4), bool))


class Config:
    scale = np.full(4, 0.5)
    bounds = (np.zeros(4), np.ones(4))


@ab.model
def products(p: P, xs: list[int]) -> Any:
    h = F @ p.emb[xs[0]] + STEP
    for x in xs:
        h = np.tanh(F.T @ h + TABLE[x]) * Config.scale
    return h, np.clip(h, *Config.bounds), STEP.sum(), STEP[xs[0] % 4] * h


@ab.model
def masks(p: P, xs: list[int]) -> Any:
    return np.where(LOW, p.w, 0.0), TABLE[: len(xs)], TABLE.shape[0] * p.b


@ab.model
def largest(p: P, xs: list[int]) -> Any:
    hs = [(x, p.emb[x]) for x in xs]
    best = heapq.nlargest(2, hs, key=lambda h: h[1] @ p.b)
    return [k for k, _ in best], heapq.nsmallest(3, xs, key=lambda x: -x), heapq.nlargest(2, xs)


MODELS = [products, masks, largest]
