"""The random numbers of `ops.dropout`, in plain Python and compiled.

There is no generator whose state changes with every draw: each mask is a function of a key
(counter-based random numbers). The entry function has the key of its instance (`instance_key`). A
function counts its dropouts and its calls of models in program order; the i-th of them has the key
`next_key(own, i)`, which determines a dropout's mask (`mask`) or becomes the key of the function
that is called. So no call depends on what another one has drawn, and the order of calls, batches
and threads makes no difference. A function without `@ab.model` continues its caller's count.

`transform/number_dropouts.py` does the same in a compiled model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from ..ir.ops.random_numbers import BITS, uniform

# next_key(key, i) = (key * TIMES + (i + 1) * PLUS) % MODULUS: intermediates stay below 2^63.
MODULUS = 2**31 - 1
TIMES = 1583458089
PLUS = 784588716


@dataclass(frozen=True, slots=True)
class Noise:
    """What determines the dropouts of a mini-batch, besides the instance: the training seed and the
    number of the step."""

    seed: int
    step: int


def instance_key(noise: Noise, instance: int) -> int:
    """The key of an instance of a mini-batch."""
    key = 0
    for part in (noise.seed, noise.step, instance):
        key = _scrambled((key ^ part) & _MASK)
    return key % MODULUS


_MASK = 2**64 - 1


def _scrambled(x: int) -> int:
    """One step of SplitMix64 (Steele, Lea, Flood 2014)."""
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def next_key(key: int, i: int) -> int:
    """The key of the i-th dropout or call in a function with this key."""
    return (key * TIMES + (i + 1) * PLUS) % MODULUS


def scale(p: float) -> float:
    """The factor for the elements that are not dropped."""
    return 1.0 / (1.0 - p) if p < 1 else 0.0


def mask(key: int, shape: tuple[int, ...], p: float) -> np.ndarray:
    """The mask, float32, that a tensor of this shape is multiplied by."""
    positions = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    low, high = (np.array(word, np.float32) for word in (key % 2**BITS, key >> BITS))
    drawn = uniform(positions, low, high).astype(np.float32)
    return np.where(drawn < np.float32(p), np.float32(0), np.float32(scale(p)))


class Draws:
    """Counts the draws of an instance while it runs as plain Python."""

    __slots__ = ("_begun", "_count", "_key")

    def __init__(self, key: int) -> None:
        self._key, self._count, self._begun = key, 0, False

    def call(self) -> tuple[int, int]:
        """Enter a called model; the result is for `leave`, when it returns."""
        if not self._begun:  # the entry
            self._begun = True
            return self._key, self._count
        before = self._key, self._count + 1
        self._key, self._count = next_key(self._key, self._count), 0
        return before

    def leave(self, before: tuple[int, int]) -> None:
        """Back to the caller's key and count: the called model has returned."""
        self._key, self._count = before

    def mask(self, shape: tuple[int, ...], p: float) -> np.ndarray:
        """The mask of the next dropout."""
        key = next_key(self._key, self._count)
        self._count += 1
        return mask(key, shape, p)


DRAWS: ContextVar[Draws | None] = ContextVar("DRAWS", default=None)


@contextmanager
def drawing(noise: Noise | None, instance: int) -> Iterator[None]:
    """`ops.dropout` drops elements while this is active, for an instance that runs as plain Python;
    without `noise` it does not."""
    if noise is None:
        yield
        return
    token = DRAWS.set(Draws(instance_key(noise, instance)))
    try:
        yield
    finally:
        DRAWS.reset(token)
