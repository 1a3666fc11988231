"""What there is to know of a model that was written without a thought of batching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab


@dataclass(frozen=True, slots=True)
class Natural:
    """`weights(rng, h)` at hidden size h, `instances(rng, n)`; both from numpy's generator."""

    name: str
    model: Any
    weights: Callable[[np.random.Generator, int], Any]
    instances: Callable[[np.random.Generator, int], list[Any]]

    def compiled(self, h: int = 8, **options: Any) -> ab.CompiledModel[Any, Any]:
        """With weights that depend on `h` alone."""
        weights = self.weights(np.random.default_rng(0), h)
        return ab.compile(self.model, weights, target="cpu", options=ab.Options(**options))

    def mini_batch(self, n: int) -> list[Any]:
        """`n` instances that depend on `n` alone."""
        return self.instances(np.random.default_rng(1), n)


def draw(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    """A weight whose products keep the size of their operands."""
    return np.asarray(rng.normal(size=shape) / np.sqrt(shape[0] if len(shape) > 1 else 1))
