"""The derivative of every operation against finite differences, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acrobat import ops
from acrobat.driver.observed import run_observed
from acrobat.ir.ops import OPS, POINTWISE
from acrobat.ir.ops.definition import Pointwise
from acrobat.lang.observe import OBSERVER
from acrobat.tape.contributions import Part, Product, Sum
from acrobat.tape.recording import Tape
from acrobat.tape.tensor_rules import RULES
from acrobat.tape.variable import Variable

RNG = np.random.default_rng(3)
Function = Callable[..., Any]


def check(function: Function, *xs: np.ndarray) -> None:
    """The gradients of a function of tensors, weighted at random, by each of its operands, where
    each is a variable and where all are."""
    tape = Tape(np.float64)

    def run(*operands: Any) -> Any:
        return run_observed(tape, lambda: function(*operands), 1 << 24)

    plain = np.asarray(run(*xs))
    g = RNG.normal(size=plain.shape)

    def gradients(which: set[int]) -> list[np.ndarray]:
        operands: list[Any] = [Variable(tape, x) if i in which else x for i, x in enumerate(xs)]
        made = run(*operands)
        assert isinstance(made, Variable)
        np.testing.assert_allclose(made.value, plain, rtol=1e-14, atol=1e-14)
        tape.backward([(made, g)])
        found = [operands[i].gradient for i in sorted(which)]
        return [total.dense() for total in found if total is not None]

    together = gradients(set(range(len(xs))))
    assert len(together) == len(xs)
    for i, x in enumerate(xs):
        (alone,) = gradients({i})
        np.testing.assert_array_equal(alone, together[i])
        want = np.empty(x.shape)
        for at in np.ndindex(*x.shape):
            ends = []
            for h in (1e-6, -1e-6):
                moved = [y.copy() for y in xs]
                moved[i][at] += h
                ends.append(float((np.asarray(run(*moved)) * g).sum()))
            want[at] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(alone, want, rtol=1e-6, atol=1e-8)


def draw(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape)


def test_every_operation_has_a_rule_or_none_on_purpose() -> None:
    without = {"argmax", "one_hot", "zeros", "eye", "parts", "positions", "triangle"}
    without |= {"dropout"}  # a product
    assert set(RULES) - {"index"} == set(OPS) - set(POINTWISE) - without


SMOOTH = [op for op in POINTWISE.values() if any(op.partials)]


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_point_wise(op: Pointwise) -> None:
    low, high = max(op.domain[0], -2.0), min(op.domain[1], 2.0)
    first = 0 if op.partials[0] else 1
    for shapes in [((),) * op.arity, ((3, 4), (4,), (3, 1)), ((4,), (3, 4), ()), ((2, 1), (1, 3))]:
        if len(shapes) < op.arity:
            continue
        xs = [RNG.uniform(low, high, s) for s in shapes[: op.arity]]
        xs = [np.where(abs(x) < 0.1, 0.5, x) for x in xs]
        held = xs[:first]
        check(lambda *ys, held=held: _operation(op.name, *held, *ys), *xs[first:])


def _operation(name: str, *operands: Any) -> Any:
    """An operation of the model's, or of the compiler's."""
    observer = OBSERVER.get()
    assert observer is not None
    return observer.operation(name, operands, {})


def test_powers_of_numbers() -> None:
    check(lambda x: x**2, draw(3))
    check(lambda x: x**-1.0, draw(3) + 4)
    check(lambda x: 2**x, draw(3))
    check(lambda x: ops.pow(x, 3), draw(3))


X, Y, W, V = draw(3, 4), draw(3, 4), draw(4, 2), draw(4)


@pytest.mark.parametrize(
    ("function", "operands"),
    [
        (lambda a, b: a @ b, (V, V)),
        (lambda a, b: a @ b, (V, W)),
        (lambda a, b: a @ b, (X, W)),
        (lambda a, b: a @ b, (X, V)),
        (ops.linear, (V, W)),
        (ops.linear, (X, W, draw(2))),
        (ops.linear, (V, W, draw(2))),
        (ops.outer, (V, draw(3))),
        (ops.transpose, (X,)),
        (lambda x: x.T @ x, (X,)),
        (lambda x: ops.reshape(x, 2, 6), (X,)),
        (lambda x: ops.reshape(x, (12,)), (X,)),
        (ops.concat, (V, draw(2))),
        (ops.concat, (X, draw(3, 2))),
        (lambda a, b: ops.concat(a, b, axis=0), (X, draw(2, 4))),
        (lambda a, b: ops.concat([a, b, a]), (V, V)),
        (lambda a, b: ops.stack([a, b, a]), (V, V)),
        (lambda x: ops.concat(*ops.split(x, 2)[::-1]), (X,)),
        (lambda x: ops.split(x, 2)[1], (V,)),
        (ops.softmax, (X,)),
        (ops.softmax, (V,)),
        (ops.log_softmax, (X,)),
        (ops.rms_norm, (X, V)),
        (ops.rms_norm, (V, V)),
        (ops.layer_norm, (X, V, draw(4))),
        (ops.layer_norm, (V, V, draw(4))),
        (ops.cumsum, (V,)),
        (lambda x: ops.cumsum(x, axis=0), (X,)),
        (lambda x: ops.cumsum(x, axis=1), (X,)),
        (lambda q, k, v: ops.attention(q, k, v, 2), (X, Y, draw(3, 4))),
        (lambda q, k, v: ops.attention(q, k, v, 2), (draw(2, 4), draw(5, 4), draw(5, 4))),
        (lambda q, k, v: ops.attention(q, k, v, 2), (V, X, Y)),
        (ops.dot, (V, draw(4))),
        (lambda x: ops.cross_entropy(x, 2), (V,)),
        (lambda x: ops.cross_entropy(x, -1), (V,)),
        (lambda x: ops.clip(x, -0.5, 0.5), (X,)),
        (lambda x: ops.hardtanh(x) + ops.relu6(8 * x) + ops.hardswish(5 * x), (X,)),
        (lambda x: ops.leaky_relu(x) + ops.elu(x, 0.7), (X,)),
        (ops.leaky_relu, (X, V)),
        (ops.elu, (X, V)),
        (lambda x: x[1], (X,)),
        (lambda x: x[-1], (V,)),
        (lambda x: x[np.int64(2)], (X,)),
        (lambda x: x[1:], (X,)),
        (lambda x: x[:, 1:3], (X,)),
        (lambda x: x[1:, 2], (X,)),
        (lambda x: x[1, 2], (X,)),
        (lambda x: x[None] + x[:, None], (V,)),
        (lambda x: x[0] * x[1] + x[0] @ x[1], (X,)),
        (lambda x: sum(row * row for row in x), (X,)),
        (lambda x: x.reshape(4, 3).flatten().clip(-1, 1).reshape((6, 2)).transpose(), (X,)),
        (lambda x: x.ravel().dot(x.flatten()), (X,)),
        (lambda x: abs(-x).cumsum(axis=1), (X,)),
        (lambda x: x.cumsum(axis=0) * (x > 0), (X,)),
        (lambda x: x.cumsum(), (V,)),
        (lambda x: (x >= 0) * x + ops.where(x < 0, 3 * x, 1.0 / x), (X,)),
        (lambda x: np.float64(2) * x - X + (X / x) @ np.ones(4) @ np.ones(3), (X,)),
    ],
)
def test_tensors(function: Function, operands: tuple[np.ndarray, ...]) -> None:
    check(function, *operands)


def test_a_number_that_was_read_is_a_constant() -> None:
    tape = Tape(np.float64)
    x: Any = Variable(tape, np.array([3.0]))
    made = run_observed(tape, lambda: x * ops.item(x) * float(x) * ops.argmax(x + 1), 1 << 24)
    assert not made.value.any()
    made = run_observed(tape, lambda: x * ops.item(x) * x.item() * int(x), 1 << 24)
    tape.backward([(made, np.ones(1))])
    assert x.gradient is not None
    np.testing.assert_array_equal(x.gradient.dense(), [27.0])


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "logsumexp"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name: str, axis: int | None, keepdims: bool) -> None:
    check(lambda x: getattr(ops, name)(x, axis=axis, keepdims=keepdims), X)
    if name != "logsumexp":
        check(lambda x: getattr(x, name)(axis=axis, keepdims=keepdims), X)


def test_a_gradient_that_is_stopped() -> None:
    tape = Tape(np.float64)
    x: Any = Variable(tape, V)
    made = run_observed(tape, lambda: x * ops.stop_gradient(x), 1 << 24)
    tape.backward([(made, np.ones(4))])
    assert x.gradient is not None
    np.testing.assert_array_equal(x.gradient.dense(), V)


def test_equal_elements_share() -> None:
    tape = Tape(np.float64)
    x: Any = Variable(tape, np.array([1.0, 2.0, 2.0, 0.0]))
    made: Any = run_observed(tape, lambda: ops.max(x) + ops.maximum(x, 2.0) + ops.relu(x), 1 << 24)
    tape.backward([(made, np.ones(4))])
    assert x.gradient is not None
    np.testing.assert_array_equal(x.gradient.dense(), [1, 2 + 1.5, 2 + 1.5, 0])


def test_an_added_tensor_is_not_changed() -> None:
    """`+=` as on numpy's arrays, but without a change to what another name refers to."""
    tape = Tape(np.float64)
    x: Any = Variable(tape, V)

    def run() -> Any:
        total = ops.zeros(4)
        for _ in range(3):
            total += x * x
        return total

    made = run_observed(tape, run, 1 << 24)
    tape.backward([(made, np.ones(4))])
    assert x.gradient is not None
    np.testing.assert_allclose(x.gradient.dense(), 6 * V)


def test_what_no_model_may_do() -> None:
    x: Any = Variable(Tape(np.float64), V)
    with pytest.raises(TypeError) as caught:
        np.cosh(x)
    assert str(caught.value) == "numpy.cosh has no gradient here: a model computes with acrobat.ops"
    with pytest.raises(TypeError) as caught:
        np.split(x, 1)
    assert (
        str(caught.value) == "numpy.split has no gradient here: a model computes with acrobat.ops"
    )


def test_sums_of_contributions() -> None:
    shared = draw(5, 2)
    total = Sum((5, 2), np.float64, joins=True)
    assert total.is_empty and total.rows is None
    total.add(Part(-1, shared[0]))
    total.add(Part(4, shared[1]))
    total.add(Part(0, shared[2]))
    assert total.rows is not None and set(total.rows) == {0, 4}
    x, dy = draw(3, 5), draw(3, 2)
    total.add(Product(x, dy))
    total.add(shared)
    total.add(Part((slice(None), slice(1, 2)), shared[:, 1:]))
    assert total.rows is None
    kept = shared.copy()
    want = x.T @ dy + shared
    want[:, 1:] += shared[:, 1:]
    want[4] += shared[0] + shared[1]
    want[0] += shared[2]
    np.testing.assert_allclose(total.dense(), want)
    np.testing.assert_array_equal(shared, kept)
