"""Seeded weights."""

from __future__ import annotations

import numpy as np


class Weights:
    """Draws arrays in order, each float32. One seed and one number per workload."""

    def __init__(self, seed: int, workload: int) -> None:
        self.rng = np.random.default_rng([seed, workload])

    def uniform(self, fan_in: int, *shape: int) -> np.ndarray:
        """Uniform in +-1/sqrt(fan_in)."""
        bound = fan_in**-0.5
        return self.rng.uniform(-bound, bound, shape).astype(np.float32)

    def normal(self, deviation: float, *shape: int) -> np.ndarray:
        """Normal around 0."""
        return (self.rng.standard_normal(shape) * deviation).astype(np.float32)
