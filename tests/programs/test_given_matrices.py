"""Instances with matrices of any number of rows, `tokens: Float32[Tensor, "N E"]`: no weight says
what N is, and each instance has its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.agree import assert_agree
from tests.programs.test_library_calls import weights


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


Tokens = Float32[Tensor, "N H"]


@ab.model
def pooled(p: P, x: Tokens) -> Float32[Tensor, "H"]:
    return np.tanh(x @ p.w + p.b).sum(axis=0)


@ab.model
def of_columns(p: P, x: Float32[Tensor, "H N"]) -> Float32[Tensor, "H"]:
    return np.tanh(p.w @ x).max(axis=1)


@ab.model
def row_by_row(p: P, x: Tokens) -> Any:
    h = np.zeros(4, np.float32)
    for row in x:
        h = np.tanh(h @ p.w + row)
    return h, len(x), x.shape[0]


@ab.model
def attention(p: P, x: Tokens, y: Float32[Tensor, "M H"]) -> Any:
    scores = ops.softmax(x @ y.T)
    return scores @ y, x[0] + y[-1]


@ab.model
def vectors(p: P, x: Float32[Tensor, "N"]) -> Any:
    return x.max() + x[0], x * 2


@ab.model
def optional(p: P, x: Tokens | None = None) -> Any:
    return p.b.sum() if x is None else x.sum()


@ab.model
def in_lists(p: P, xs: list[Tokens]) -> Any:
    return [x.sum(axis=0) @ p.w for x in xs], xs


@ab.model
def parts(p: P, x: Tokens) -> Any:
    return x, x[1:], x[::-1], [row for row in x if row[0] > 0]


@dataclass
class Document:
    title: str
    tokens: Tokens
    links: list["Document"]


@ab.model
def recursive(p: P, doc: Document) -> Float32[Tensor, "H"]:
    own = doc.tokens.mean(axis=0) if len(doc.tokens) > 0 else p.b
    return np.tanh(own @ p.w) + sum([recursive(p, link) for link in doc.links])


@ab.model
def helper(p: P, x: Tokens) -> Any:
    return _scores(p, x), _of_rows(x)


def _scores(p: P, tokens: Tokens) -> Float32[Tensor, "N"]:
    return tokens @ p.b


def _of_rows(m: Float32[Tensor, "K H"]) -> Float32[Tensor, "H"]:
    return m.sum(axis=0)


_RNG = np.random.default_rng(3)


def _array(*shape: int) -> np.ndarray:
    return _RNG.normal(size=shape).astype("float32")


_TWO = [_array(2, 4), _array(5, 4), _array(1, 4)]
_SHARED = Document("shared", _array(3, 4), [])
CASES: list[tuple[Any, list[Any]]] = [
    (pooled, [*_TWO, np.asfortranarray(_array(3, 4)), _array(6, 8)[::2, ::-2]]),
    (of_columns, [_array(4, 2), _array(7, 4).T]),
    (row_by_row, [*_TWO, _array(0, 4)]),
    (attention, [(_array(2, 4), _array(3, 4)), (_array(5, 4), _array(1, 4))]),
    (vectors, [_array(3), _array(8)[::3]]),
    (optional, [None, _array(2, 4)]),
    (in_lists, [[_array(2, 4)], [], [_TWO[0], _TWO[0], _array(3, 4)]]),
    (parts, _TWO),
    (recursive, [_SHARED, Document("a", _array(0, 4), [_SHARED, _SHARED])]),
    (helper, _TWO),
]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize("check_finite", [False, True])
@pytest.mark.parametrize(("model", "instances"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_agree_with_plain_python(
    executor: Any, check_finite: bool, model: Any, instances: list[Any]
) -> None:
    p = weights(P)
    options = ab.Options(executor=executor, check_finite=check_finite)
    several = model is attention
    for x, got in zip(instances, ab.compile(model, p, options=options)(instances), strict=True):
        expected = model(p, *x) if several else model(p, x)
        assert_agree(expected, got)


@ab.model
def loss(p: P, x: Tokens) -> Float32[Tensor, ""]:
    return (ops.dropout(np.tanh(x @ p.w).sum(axis=0), 0.5) ** 2).sum()


def test_gradients_agree_with_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    p, xs = weights(P), _TWO
    losses, grads = ab.gradients(loss, p, seed=7)(xs)
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    plain, expected = ab.gradients(loss, p, seed=7)(xs)
    np.testing.assert_allclose(losses, plain, rtol=1e-5)
    np.testing.assert_allclose(grads.w, expected.w, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        (_array(2, 5), "expected Tensor[?, 4], got an array of shape (2, 5)"),
        (_array(0, 5), "expected Tensor[?, 4], got an array of shape (0, 5)"),
        (_array(4), "expected Tensor[?, 4], got an array of shape (4,)"),
        (_array(2, 3, 4), "expected Tensor[?, 4], got an array of shape (2, 3, 4)"),
        (
            [_array(4)],
            "expected Tensor[?, 4] as a numpy array, got list; convert with np.asarray(x, "
            "dtype='float32')",
        ),
        (np.zeros((2, 4), int), "expected floats, got int64; convert with .astype('float32')"),
    ],
)
def test_other_arrays_are_refused(instance: Any, message: str) -> None:
    with pytest.raises(ab.InstanceError) as error:
        ab.compile(pooled, weights(P))([_TWO[0], instance])
    assert str(error.value) == f"instances[1]: {message}"


@ab.model
def returned(p: P, doc: Document) -> Document:
    return doc


def test_data_with_such_a_matrix_is_no_result() -> None:
    with pytest.raises(ab.ModelError) as error:
        ab.compile(returned, weights(P))
    (only,) = error.value.errors
    assert (only.code, only.message, only.hint) == (
        "AC023",
        "the entry function returned returns a Document, and Document.tokens has a size that only "
        "the instance knows",
        "the parts that are wanted: `return x.tokens`",
    )
