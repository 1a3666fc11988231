"""An error in a value that nothing needs: plain Python raises it, compiled programs do not
compute the value (docs/language.md); as soon as something needs it, all raise."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from tests.loading import load_text
from tests.programs.reference_kernels import reference_kernels

FAILING = {
    "index of a list": "xs[n]",
    "overflow": "n * 9223372036854775807",
    "floor division": "n // (n - n)",
    "remainder": "n % (n - n)",
    "domain": "int(math.sqrt(-1.0 * n))",
    "in a call": "deep(p, xs, n)",
    "in a chain": "xs[xs[0] * n] + 1",
    "in a loop": "[xs[n + i] for i in range(2)][0]",
    "sizes of a product": "ops.argmax((rows(p, n) @ rows(p, len(xs)).T @ rows(p, n))[0])",
}
MODEL = """\
import math
import acrobat as ab
from acrobat import Float32, Tensor, ops

@ab.params
class P:
    b: Float32[Tensor, "H"]

def rows(p: P, n: int):
    return ops.stack([p.b for _ in range(n)])

@ab.model
def deep(p: P, xs: list[int], n: int) -> int:
    return deep(p, xs, n - 1) if n > 9 else xs[n]

@ab.model
def f(p: P, xs: list[int], n: int, needed: bool) -> tuple[int, Float32[Tensor, "H"]]:
    y = {value}
    return {result}, p.b * 2.0
"""
GIVEN = [([7, 8], 5, False)]


@pytest.fixture(params=FAILING)
def value(request: pytest.FixtureRequest) -> str:
    return FAILING[request.param]


def load(folder: Path, value: str, result: str) -> ModuleType:
    return load_text(MODEL.format(value=value, result=result), folder, "unneeded_errors")


OPTIONS = {
    "aot": ab.Options(threads=1),
    "vm": ab.Options(executor="vm"),
    "all off": ab.Options.all_off(executor="vm"),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_what_nothing_needs_does_not_fail(tmp_path: Path, value: str, options: ab.Options) -> None:
    m = load(tmp_path, value, "1")
    weights = m.P(b=np.ones(3))
    if value != FAILING["overflow"]:  # Python's own ints have no end
        with pytest.raises((IndexError, ZeroDivisionError, ValueError)):
            m.f(weights, *GIVEN[0])
    with reference_kernels():
        fast = ab.compile(m.f, weights, "cpu", options)
    [(number, tensor)] = fast(GIVEN)
    assert (number, tensor.tolist()) == (1, [2.0] * 3)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("result", ["y", "1 if y > 3 else 2"], ids=["result", "decision"])
def test_what_is_needed_fails(tmp_path: Path, value: str, result: str, options: ab.Options) -> None:
    m = load(tmp_path, value, result)
    with reference_kernels():
        fast = ab.compile(m.f, m.P(b=np.ones(3)), "cpu", options)
    with pytest.raises(ab.InstanceError, match=r"instances\[0\]"):
        fast(GIVEN)
