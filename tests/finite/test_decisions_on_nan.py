"""`Options.check_finite` reports a NaN or an infinity that only steers a decision."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.loading import load_text

MODEL = """\
import math

import acrobat as ab
from acrobat import Float32, Tensor, ops

@ab.params
class P:
    b: Float32[Tensor, "H"]

@ab.model
def chosen(p: P, x: Float32[Tensor, "H"], kind: int) -> Float32[Tensor, "H"]:
    if kind == 4:
        if ops.argmax(ops.log(x)) == 1:
            return p.b * 4.0
    if kind == 5:
        if ops.log(x)[1] > 0.0:
            return p.b * 5.0
    if kind == 6:
        if (ops.log(x) > 0.0).any():
            return p.b * 6.0
    if kind == 7:
        if float(ops.log(x)[1]) < 7.0:
            return p.b * 7.0
    if kind == 8:
        if int(ops.item(ops.sum(ops.log(x)))) < 8:
            return p.b * 8.0
    if kind == 9:
        n = ops.item(ops.sum(x / (x - x)))
        if abs(n) > 9.0:
            return p.b * 9.0
    return p.b

@ab.model
def f(p: P, x: Float32[Tensor, "H"], kind: int, least: float) -> Float32[Tensor, "H"]:
    s = ops.item(ops.sum(ops.log(x)))
    if kind == 0:
        if s > 0.5:
            return p.b
    if kind == 1:
        n = 0
        while n < 3 and not (s * 2.0 <= 1.0):
            n = n + 1
        return p.b * float(n)
    if kind == 2:
        if s != s or math.isnan(s):
            return p.b * 4.0
    if kind == 3:
        if ops.item(ops.sum(p.b)) > least:
            return p.b * 3.0
    if kind > 3:
        return chosen(p, x, kind)
    return p.b * 2.0
"""
FINE, BAD = np.ones(3, np.float32), np.array([1, -1, 1], np.float32)


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_text(MODEL, tmp_path_factory.mktemp("finite"), "nan_decisions")


EXECUTORS: dict[str, dict[str, Any]] = {
    "aot": {"threads": 1},
    "two threads": {"threads": 2, "speculation": False},
    "without fibers": {"fibers": False, "gather_fusion": False},
    "vm": {"executor": "vm"},
    "disabled": {},
}


@pytest.fixture(scope="module", params=list(EXECUTORS))
def fast(m: ModuleType, request: pytest.FixtureRequest) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "disabled":
            patch.setenv("ACROBAT_DISABLE", "1")
        options = ab.Options(check_finite=True, **EXECUTORS[request.param])
        return ab.compile(m.f, m.P(b=np.ones(3)), "cpu", options)


def told(fast: Any, kind: int) -> str:
    fine = (FINE, kind, 0.0)
    bad = (BAD, kind, 0.0)
    with np.errstate(all="ignore"), pytest.raises(ab.NotFiniteError) as caught:
        fast([fine, fine, bad, fine, bad])
    assert [r.tolist() for r in fast([(FINE, 2, 0.0)])] == [[2.0] * 3]  # and nothing is lost
    return re.sub(r'File ".*?"', 'File "model.py"', str(caught.value))


def drawn(text: str, part: str) -> str:
    """A line of the model with a caret below a part of it, as errors show it."""
    line = next(i for i, t in enumerate(MODEL.splitlines(), 1) if t.strip() == text)
    indent = " " * (4 + text.index(part))
    return f'  File "model.py", line {line}\n    {text}\n{indent}{"^" * len(part)}\n'


SUM = drawn("s = ops.item(ops.sum(ops.log(x)))", "ops.log(x)")


@pytest.mark.parametrize(
    ("kind", "decision", "origin"),
    [
        (0, drawn("if s > 0.5:", "s > 0.5"), SUM),
        (1, drawn("while n < 3 and not (s * 2.0 <= 1.0):", "s * 2.0 <= 1.0"), SUM),
        (4, drawn("if ops.argmax(ops.log(x)) == 1:", "ops.argmax(ops.log(x))"), "ops.log(x)"),
        (5, drawn("if ops.log(x)[1] > 0.0:", "ops.log(x)[1] > 0.0"), "ops.log(x)"),
        (6, drawn("if (ops.log(x) > 0.0).any():", "(ops.log(x) > 0.0).any()"), "ops.log(x)"),
        (7, drawn("if float(ops.log(x)[1]) < 7.0:", "float(ops.log(x)[1])"), "ops.log(x)"),
        (
            8,
            drawn(
                "if int(ops.item(ops.sum(ops.log(x)))) < 8:",
                "int(ops.item(ops.sum(ops.log(x))))",
            ),
            "ops.log(x)",
        ),
    ],
)
def test_it_names_the_decision_and_the_origin(
    fast: Any, kind: int, decision: str, origin: str
) -> None:
    if origin == "ops.log(x)":
        origin = drawn(decision.splitlines()[1].strip(), origin)
    assert told(fast, kind) == (
        f"instances[2]: a decision depends on a number that is not finite:\n{decision}"
        f"It began here, out of finite operands:\n{origin}"
        "  ops.log of Tensor[3] from -1 to 1: nan at [1]"
    )


def test_an_infinity(fast: Any) -> None:
    x = np.array([1, 2, 3], np.float32)
    with np.errstate(all="ignore"), pytest.raises(ab.NotFiniteError) as caught:
        fast([(x, 9, 0.0)])
    assert re.sub(r'File ".*?"', 'File "model.py"', str(caught.value)) == (
        "instances[0]: a decision depends on a number that is not finite:\n"
        + drawn("if abs(n) > 9.0:", "abs(n) > 9.0")
        + "It began here, out of finite operands:\n"
        + drawn("n = ops.item(ops.sum(x / (x - x)))", "x / (x - x)")
        + "  / of Tensor[3] from 1 to 3, Tensor[3] from 0 to 0: inf at [0]"
    )


def test_what_came_in_is_named(fast: Any) -> None:
    nan = np.array([1, np.nan, 1], np.float32)
    with np.errstate(all="ignore"), pytest.raises(ab.NotFiniteError) as caught:
        fast([(nan, 0, 0.0)])
    assert str(caught.value).endswith("It came in: instances[0][0] is nan at [1]")


@pytest.mark.parametrize(
    ("x", "kind", "least", "want"),
    [
        (BAD, 2, 0.0, 4.0),  # it looks for a NaN
        (BAD, 10, 0.0, 1.0),  # it reads one, and does not decide by it
        (FINE, 3, -np.inf, 3.0),  # a bound that is infinite is one
        (FINE, 3, np.inf, 2.0),
        (FINE, 4, 0.0, 1.0),  # a position and a mask of finite numbers
        (FINE, 5, 0.0, 1.0),
    ],
)
def test_what_is_no_fault(fast: Any, x: np.ndarray, kind: int, least: float, want: float) -> None:
    with np.errstate(all="ignore"):
        assert [r.tolist() for r in fast([(x, kind, least)])] == [[want] * 3]


def test_who_does_not_ask_is_not_told(m: ModuleType) -> None:
    fast = ab.compile(m.f, m.P(b=np.ones(3)), "cpu", ab.Options(executor="vm"))
    assert [r.tolist() for r in fast([(BAD, 0, 0.0), (BAD, 5, 0.0)])] == [[2.0] * 3, [1.0] * 3]
    assert fast.last_profile.doubtful == ()
