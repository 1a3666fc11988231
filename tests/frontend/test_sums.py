"""Sums of floats round as those of the Python that runs the model: from 3.12 on without the errors
of each addition, before with them. Here both, whichever Python it is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import ModuleType

import pytest

import acrobat as ab
from acrobat.frontend import folds

MODEL = """
@ab.params
class P:
    b: Tensor["H"]


@ab.model
def f(p: P, xs: list[float]) -> tuple[float, float]:
    return sum(xs), sum((x * 2 for x in xs), 0.125)
"""


def plainly(xs: list[float], start: float) -> float:
    for x in xs:
        start += x
    return start


def compensated(xs: list[float], start: float) -> float:
    low = 0.0
    for x in xs:
        total = start + x
        low += (start - total) + x if abs(start) >= abs(x) else (x - total) + start
        start = total
    return start + low if low and math.isfinite(low) else start


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("way", [plainly, compensated], ids=lambda w: w.__name__)
def test_sums_of_floats(
    way: Callable[[list[float], float], float],
    load_model: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folds, "_COMPENSATED", way is compensated)
    rng = random.Random(4)
    lists = [
        [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-8, 9) for _ in range(n)] for n in range(30)
    ]
    lists += [[1e308, 1e308, -1e308], [math.inf, 1.0], [math.inf, -math.inf], [1e16, 1.0, -1e16]]
    m = load_model(MODEL)
    fast = ab.compile(m.f, m.P(b=[0.0]), options=ab.Options(executor="vm"))
    for xs, got in zip(lists, fast(lists), strict=True):
        want = way(xs, 0.0), way([x * 2 for x in xs], 0.125)
        assert list(map(repr, got)) == list(map(repr, want))
