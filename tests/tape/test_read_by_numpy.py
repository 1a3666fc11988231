"""Numbers of what a tape records are not taken without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acrobat import ops
from acrobat.driver.observed import run_observed
from acrobat.tape.recording import Tape
from acrobat.tape.variable import Variable

X = np.array([1.0, -2.0, 0.5])


@pytest.fixture
def w() -> Variable:
    return Variable(Tape(np.float64), np.array([[1.0], [2.0], [4.0]]))


@pytest.mark.parametrize("use", [lambda w: X.dot(w), np.asarray, np.array], ids=["dot", "", "copy"])
def test_numpy_does_not_get_them(use: Any, w: Variable) -> None:
    """An array's `dot` asks for numbers, where `@` lets the tape know."""
    with pytest.raises(TypeError) as error:
        use(w)
    assert str(error.value) == (
        "numpy takes the numbers of a tensor whose gradient is wanted: write `x @ w` for "
        "`x.dot(w)`, and `ops.stop_gradient(x)` for numbers without a gradient"
    )


def test_what_to_write_instead(w: Variable) -> None:
    product = X @ w
    assert isinstance(product, Variable)
    product.tape.backward([(product, np.ones(1))])
    assert w.gradient is not None
    np.testing.assert_array_equal(w.gradient.dense(), X[:, None])
    stopped = run_observed(w.tape, lambda: X.dot(ops.stop_gradient(w)), 1 << 24)
    assert isinstance(stopped, np.ndarray)
    np.testing.assert_array_equal(stopped, [-1.0])


def test_decisions_read_them(w: Variable) -> None:
    assert ops.item(w[1]) == 2.0
    assert ops.argmax(w.T[0]) == 2


def test_an_array_does_not_keep_them(w: Variable) -> None:
    """`x[i] = y` asks y for its number, as `float(y)` does, which says that it wants a number."""
    x = np.zeros(3)
    with pytest.raises(ValueError, match="setting an array element") as error:
        x[1] = w[1][0]
    assert str(error.value.__cause__) == (
        "an array of numpy's keeps the number of a tensor whose gradient is wanted, and loses the "
        "gradient: write `ops.stack` of a list, or `x[i] = float(y)` for one without"
    )
    x[0] = float(w[1][0])
    tape = w.tape
    assert isinstance(tape, Tape)
    x[int(w[0][0])] = run_observed(tape, lambda: ops.stop_gradient(w[2][0]), 1 << 24)
    np.testing.assert_array_equal(x, [2.0, 4.0, 0.0])
