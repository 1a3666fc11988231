"""The knob: its values, the sizes that include them, and choices that are common or individual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

# In per cent.
KNOBS = (0, 10, 25, 50, 100)

_T = TypeVar("_T")


def sizes(dims: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Every size at every knob: "small_d25" has the dimensions of "small" and `divergence`, in per
    cent."""
    return {
        f"{name}_d{knob}": {**values, "divergence": knob}
        for name, values in dims.items()
        for knob in KNOBS
    }


def base(size: str) -> str:
    """The size without its knob: "small" of "small_d25"."""
    return size.rpartition("_d")[0]


class Choices:
    """The choices of one mini-batch. Each place in an instance that needs a choice has a name, and
    a choice common to all instances."""

    def __init__(self, divergence: int, *seed: int) -> None:
        self.own = np.random.default_rng([*seed, 0])
        self._chance, self._seed = divergence / 100, seed

    def draw(self, draw: Callable[[np.random.Generator], _T], *place: int) -> _T:
        """The result of `draw` with the instance's own generator, or with one that depends only on
        the mini-batch and the place."""
        if self.own.random() < self._chance:
            return draw(self.own)
        return draw(np.random.default_rng([*self._seed, 1, *place]))
