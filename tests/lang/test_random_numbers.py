"""The random numbers that dropouts go by: even, and independent of those of their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from acrobat.ir.ops.random_numbers import BITS, uniform
from acrobat.lang.draws import Noise, instance_key, next_key

POSITIONS, KEYS = 512, 400


def drawn(keys: Sequence[int]) -> np.ndarray:
    """A row of numbers for each key."""
    low = np.array([[k % 2**BITS] for k in keys], np.float32)
    high = np.array([[k >> BITS] for k in keys], np.float32)
    return uniform(np.arange(POSITIONS, dtype=np.float32)[None], low, high)


def chain(key: int) -> list[int]:
    return [next_key(key, i) for i in range(KEYS)]


FAMILIES = {
    "consecutive": list(range(KEYS)),
    "of one function": chain(instance_key(Noise(0, 0), 0)),
    "of one instance's calls": [
        next_key(next_key(instance_key(Noise(5, 1), 2), i), j) for i in range(20) for j in range(20)
    ],
    "of instances": [instance_key(Noise(0, 0), i) for i in range(KEYS)],
}


@pytest.mark.parametrize("keys", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("p", [0.1, 0.5])
def test_independent(keys: list[int], p: float) -> None:
    numbers = drawn(keys)
    assert numbers.dtype == np.float32 and numbers.min() >= 0 and numbers.max() < 1
    dropped = ((numbers < p) - p) / np.sqrt(p * (1 - p))
    assert abs(dropped.mean()) * np.sqrt(dropped.size) < 4
    for table in (dropped, dropped.T):
        rows, columns = table.shape
        products = table @ table.T / np.sqrt(columns)  # normal, if rows are independent
        others = products[~np.eye(rows, dtype=bool)]
        assert abs(others.std() - 1) < 0.02
        assert abs(others).max() < 6.5
        shares = table.mean(axis=1) * np.sqrt(columns)
        assert 0.8 < shares.std() < 1.2


def test_even() -> None:
    counts, _ = np.histogram(drawn(FAMILIES["of instances"]), bins=256, range=(0, 1))
    expected = POSITIONS * KEYS / 256
    assert ((counts - expected) ** 2 / expected).sum() < 256 + 5 * np.sqrt(2 * 256)


def test_the_same_in_any_precision_and_one_by_one() -> None:
    keys = FAMILIES["of one function"][:3]
    whole = drawn(keys)
    for row, key in zip(whole, keys, strict=True):
        low, high = float(key % 2**BITS), float(key >> BITS)
        one = [float(uniform(np.float64(j), low, high)) for j in range(40)]  # type: ignore[arg-type]
        np.testing.assert_array_equal(row[:40], one)
