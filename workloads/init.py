"""Seeded weights."""

from __future__ import annotations

import numpy as np


class Weights:
    """Draws float32 arrays in sequence, from a seed and the number of the workload."""

    def __init__(self, seed: int, workload: int) -> None:
        self.rng = np.random.default_rng([seed, workload])

    def uniform(self, fan_in: int, *shape: int) -> np.ndarray:
        """Draw uniformly from +-1/sqrt(fan_in)."""
        bound = fan_in**-0.5
        return self.rng.uniform(-bound, bound, shape).astype(np.float32)

    def normal(self, deviation: float, *shape: int) -> np.ndarray:
        """Draw from a normal distribution around 0."""
        return (self.rng.standard_normal(shape) * deviation).astype(np.float32)
