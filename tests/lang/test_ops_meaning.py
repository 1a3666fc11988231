"""What `ops` computes, against sums written out in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acrobat import ops
from acrobat.ir.ops import OPS

RNG = np.random.default_rng(7)
M, K, N = 3, 5, 4


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


X, Y, W, V = draw(M, K), draw(M, K), draw(K, N), draw(K)
POINT: dict[str, Callable[[float], float]] = {
    "neg": lambda x: -x,
    "tanh": math.tanh,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "relu": lambda x: x if x > 0 else 0.0,
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "exp": math.exp,
    "abs": math.fabs,
}
PAIR: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "maximum": max,
    "minimum": min,
    "less": lambda a, b: float(a < b),
    "greater": lambda a, b: float(a > b),
}


def close(got: object, want: Any) -> None:
    assert isinstance(got, (np.ndarray, np.float32))
    assert got.dtype == np.float32
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", POINT)
@pytest.mark.parametrize("shape", [(), (K,), (M, K)])
def test_point_by_point(name: str, shape: tuple[int, ...]) -> None:
    x = draw(*shape)
    close(getattr(ops, name)(x), np.vectorize(POINT[name])(x.astype(np.float64)))


@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_logarithm_and_root(name: str) -> None:
    x = np.abs(X) + 0.1
    close(getattr(ops, name)(x), np.vectorize(getattr(math, name))(x.astype(np.float64)))


@pytest.mark.parametrize("name", PAIR)
@pytest.mark.parametrize(
    ("a", "b"),
    [(X, Y), (X, V), (V, X), (X, X[0, 0]), (np.float32(2) * V, V), (X, 0.5), (2, V)],
    ids=["equal", "vector", "vector first", "rank 0", "scaled", "float", "int"],
)
def test_pairs_broadcast(name: str, a: np.ndarray, b: np.ndarray) -> None:
    wide = np.broadcast_arrays(np.float64(a), np.float64(b))
    close(getattr(ops, name)(a, b), np.vectorize(PAIR[name], otypes=[float])(*wide))


def test_where_asks_for_anything_but_zero() -> None:
    c = np.array([0, 1, -2, -0.0, np.nan], np.float32)
    a, b = draw(5), draw(5)
    close(ops.where(c, a, b), [b[0], a[1], a[2], b[3], a[4]])
    close(ops.where(c, 1.0, b), [b[0], 1, 1, b[3], 1])
    close(ops.where(c, a, 0), [0, a[1], a[2], 0, a[4]])


def test_extremes_do_not_overflow() -> None:
    x = np.array([-1e4, -100, 0, 100, 1e4], np.float32)
    with np.errstate(all="raise", under="ignore"):
        close(ops.sigmoid(x), [0, 0, 0.5, 1, 1])
        close(ops.gelu(x), [0, 0, 0, 100, 1e4])
        close(ops.softmax(x), [0, 0, 0, 0, 1])
        close(ops.softmax(np.full(4, 3e38, np.float32)), [0.25] * 4)


def test_products() -> None:
    for a, b in [(V, W), (X, W), (X, V), (V, V)]:
        by_hand = np.einsum(
            ("mk" if a.ndim == 2 else "k") + "," + ("kn" if b.ndim == 2 else "k"),
            a.astype(np.float64),
            b.astype(np.float64),
        )
        close(ops.matmul(a, b), by_hand)
    bias = draw(N)
    close(ops.linear(X, W), X.astype(np.float64) @ W)
    close(ops.linear(X, W, bias), X.astype(np.float64) @ W + bias)
    close(ops.linear(V, W, bias), V.astype(np.float64) @ W + bias)
    close(ops.outer(V, X[0]), [[a * b for b in X[0]] for a in V])


def test_rearrangements() -> None:
    close(ops.transpose(X), [[X[i, j] for i in range(M)] for j in range(K)])
    close(ops.reshape(X, K, M), X.ravel().reshape(K, M))
    close(ops.reshape(X, M * K), [x for row in X for x in row])
    close(ops.concat(V, X[0]), [*V, *X[0]])
    close(ops.concat(X, Y), [[*a, *b] for a, b in zip(X, Y, strict=True)])
    close(ops.concat(X, Y, axis=0), [*X, *Y])
    close(ops.stack(X[0], X[2], V), [X[0], X[2], V])
    left, right = ops.split(W, 2)
    close(left, [row[:2] for row in W])
    close(right, [row[2:] for row in W])
    close(ops.zeros(2, 3), [[0, 0, 0], [0, 0, 0]])
    close(ops.zeros(2), [0, 0])
    close(ops.one_hot(2, 4), [0, 0, 1, 0])
    close(OPS["eye"].numpy(n=2), [[1, 0], [0, 1]])
    close(OPS["parts"].numpy(n=2, width=4), [[1, 1, 0, 0], [0, 0, 1, 1]])
    close(ops.stack([X[0], V]), [X[0], V])
    close(OPS["slice"].numpy(X, start=1, stop=3), [X[1], X[2]])
    close(OPS["slice"].numpy(X, start=1, stop=3, axis=1), [row[1:3] for row in X])
    close(OPS["lookup"].numpy(X, 1), X[1])
    close(OPS["lookup"].numpy(V, 1), V[1])


def test_cross_entropy() -> None:
    for label in (0, 3, -1):
        close(ops.cross_entropy(V, label), -ops.log_softmax(V)[label])
    with np.errstate(all="raise", under="ignore"):
        close(ops.cross_entropy(np.array([1e4, 0, -1e4], np.float32), 1), 1e4)


@pytest.mark.parametrize("name", ["sum", "mean", "max"])
def test_reductions(name: str) -> None:
    rows = [[float(v) for v in row] for row in X]
    columns = [list(c) for c in zip(*rows, strict=True)]
    plain: dict[str, Callable[[list[float]], float]] = {
        "sum": math.fsum,
        "mean": lambda v: math.fsum(v) / len(v),
        "max": max,
    }
    f, op = plain[name], getattr(ops, name)
    close(op(X), f([v for row in rows for v in row]))
    close(op(X, axis=-1), [f(row) for row in rows])
    close(op(X, axis=0), [f(c) for c in columns])
    close(op(V), f([float(v) for v in V]))
    close(op(V, axis=0), op(V))


def test_softmax_and_layer_norm() -> None:
    want = []
    for row in X.astype(np.float64):
        e = [math.exp(v) for v in row]
        want.append([v / sum(e) for v in e])
    close(ops.softmax(X), want)
    close(ops.softmax(X[1]), want[1])
    g, b = draw(K), draw(K)
    want = []
    for row in X.astype(np.float64):
        mean = sum(row) / K
        deviation = math.sqrt(sum((v - mean) ** 2 for v in row) / K + 1e-5)
        want.append([(v - mean) / deviation * s + t for v, s, t in zip(row, g, b, strict=True)])
    close(ops.layer_norm(X, g, b), want)
    close(ops.layer_norm(X[2], g, b), want[2])


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_attention(heads: int) -> None:
    s, h = 4, 6
    d = h // heads
    q, k, v = draw(s, h), draw(s, h), draw(s, h)
    want = np.zeros((s, h))
    for head in range(heads):
        at = slice(head * d, head * d + d)
        for i in range(s):
            scores = [math.exp(float(q[i, at] @ k[j, at]) / math.sqrt(d)) for j in range(s)]
            for j in range(s):
                want[i, at] += scores[j] / sum(scores) * v[j, at]
    close(ops.attention(q, k, v, heads), want)


def test_decisions_are_python_numbers() -> None:
    x = np.array([1, 3, 2, 3], np.float32)
    assert (type(ops.argmax(x)), ops.argmax(x)) == (int, 1)  # the first of equals
    for one in (np.float32(0.5), x[1:2] / 6, np.full((1, 1), 0.5, np.float32)):
        assert (type(ops.item(one)), ops.item(one)) == (float, 0.5)  # type: ignore[arg-type]
    close(OPS["argmax"].numpy(x), 1.0)


def test_one_hot_counts_from_the_end() -> None:
    assert ops.one_hot(-1, 3).tolist() == [0.0, 0.0, 1.0]
    assert ops.one_hot(-3, 3).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ops.split(np.zeros(5, np.float32), 2),
            ValueError,
            "split of a vector of 5 into 2 equal parts",
        ),
        (lambda: ops.one_hot(3, 3), IndexError, "one_hot of 3 in a vector of 3"),
        (lambda: ops.one_hot(-4, 3), IndexError, "one_hot of -4 in a vector of 3"),
    ],
)
def test_bad_calls(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_numbers_do_not_change_in_place() -> None:
    """Of rank 0, an operation gives one of numpy's scalars, as numpy's own functions do."""
    total = first = ops.sum(np.ones(3, np.float32))
    total += 1.0
    assert isinstance(first, np.float32)
    assert (ops.item(total), ops.item(first)) == (4.0, 3.0)
