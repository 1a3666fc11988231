"""Random numbers as a function of a key and a position, by which `ops.dropout` decides.

A Feistel network of 6 rounds (Luby, Rackoff 1988) on the position's 24 bits, as two halves of 12;
the round function takes bits from the middle of a square (von Neumann 1951). All of its numbers are
whole and below 2^24, so float32 represents them exactly: numpy and every target compute the same
bits, with nothing but the operations of `arithmetic`. tests/lang/test_random_numbers.py measures
how independent neighbouring keys and positions are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import Builder, Function, Number
from .definition import Array

BITS = 24
_HALF = 2.0**12
_ROUNDS = 6
_STEP = 1831  # between the keys of the rounds


def uniform(position: Array, low: Array, high: Array) -> Array:
    """A number in [0, 1) for each position in [0, 2^24), a multiple of 2^-24. The key is two whole
    numbers: `low`, of 24 bits, and `high`, of 12."""
    with np.errstate(invalid="ignore"):  # infinities become NaN
        return np.asarray(_uniform(position, low, high, np.floor, lambda x: x))


def uniform_form(m: Builder, position: Number, low: Number, high: Number) -> Number:
    """The same as generated code."""
    made = _uniform(position, low, high, lambda x: Function("floor", x), m.let)
    assert isinstance(made, Number)
    return made


def _uniform(
    position: Any, low: Any, high: Any, floor: Callable[[Any], Any], let: Callable[[Any], Any]
) -> Any:
    """`uniform` on any numbers with Python's operators; `let` names what is used more than once."""

    def halves(x: Any) -> tuple[Any, Any]:
        whole = let(floor(x))
        upper = let(floor(whole * (1 / _HALF)))
        return upper, let(whole - upper * _HALF)

    def lower(x: Any) -> Any:
        x = let(x)
        return let(x - floor(x * (1 / _HALF)) * _HALF)

    left, right = halves(position)
    upper_key, lower_key = halves(low)
    keys = lower_key, upper_key, let(floor(high))
    for i in range(_ROUNDS):
        mixed = lower(right + (keys[i % 3] + float(i * _STEP % 4096)))
        square = floor(mixed * mixed * (1 / 128)) + mixed * 3.0
        left, right = right, lower(left + square)
    return (left * _HALF + right) * (1 / 2.0**BITS)
