"""Random weights and instances for the models of papers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .model import draw

RNG = np.random.default_rng(3)


H = 6  # the hidden size


def weight(*shape: int) -> np.ndarray[Any, Any]:
    return draw(RNG, *shape)


def whole(low: int, high: int) -> int:
    return int(RNG.integers(low, high))


def words(low: int, high: int) -> list[int]:
    return [whole(0, 20) for _ in range(whole(low, high))]


def of_size(width: int, n: int) -> list[Any]:
    return [RNG.normal(size=width).astype(np.float32) for _ in range(n)]
