"""Numbers before loops that become tensors in them: what gives the same for both is computed;
anything else ends an instance whose loop has no iteration, with the name and the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

MODEL = """
import operator

import numpy as np


@ab.params
class P:
    b: Tensor["H"]
    w: Tensor["H", "H"]


@ab.model
def f(p: P, xs: list[int]) -> Tensor["H"]:
    total = 1.5
    for x in xs:
        total = total * 0.5 - x * p.b
    {}
"""
FAULT = "`{}` is a Tensor[H], but for this instance still the number of before the loop in line {}"
# What follows the loop -> what then has to be a tensor.
BROADCAST = (
    "return total + p.b",
    "return p.b / (2 - total)",
    "part = -total * 2\n    return part - p.b",
    "return (p.w * total).sum(axis=0)",
    "return np.maximum(p.b, total) + operator.mul(total, p.b)",
    "return (lambda v: v * total)(p.b)",
    "if xs:\n        total = np.tanh(total) @ p.w\n    return total + p.b",
    "return total / (len(xs) + 1) + p.b",
)
NEEDED = (
    ("return total", "total"),
    ("return np.tanh(total)", "total"),
    ("return p.b * (total + 1).sum()", "total + 1"),
    ("return [total, p.b][0]", "total"),
    ("return p.b * (total ** 2)", "total"),
)


def weights(m: ModuleType) -> object:
    return m.P(b=np.array([0.5, -1.0, 2.0], np.float32), w=np.arange(9).reshape(3, 3) / 9)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("end", BROADCAST)
def test_what_takes_either(end: str, load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(MODEL.format(end))
    p = weights(m)
    instances = [[1, 2], [], [3]]
    fast = ab.compile(m.f, p, options=ab.Options(executor="vm"))
    for xs, got in zip(instances, fast(instances), strict=True):
        np.testing.assert_allclose(got, m.f(p, xs), rtol=1e-5)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("end", "text"), NEEDED)
def test_what_needs_a_tensor(end: str, text: str, load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(MODEL.format(end))
    p = weights(m)
    fast = ab.compile(m.f, p, options=ab.Options(executor="vm"))
    for xs, got in zip([[1, 2], [3]], fast([[1, 2], [3]]), strict=True):
        np.testing.assert_allclose(got, m.f(p, xs), rtol=1e-5)
    with pytest.raises(ab.InstanceError) as caught:
        fast([[1], []])
    assert m.__file__ is not None
    lines = Path(m.__file__).read_text().splitlines()
    line = 1 + next(i for i, s in enumerate(lines) if "for x in xs" in s)
    assert FAULT.format(text, line) in str(caught.value) and "instances[1]" in str(caught.value)


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_number_by_zero(load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(MODEL.format("return total / len(xs) + p.b"))
    fast = ab.compile(m.f, weights(m), options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError, match="ZeroDivisionError: float division by zero"):
        fast([[1], []])
