"""Instances that are dicts with known keys: `class Row(TypedDict)`."""

# mypy: disable-error-code="no-untyped-def, typeddict-item, valid-type, operator, arg-type"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from tests.agree import assert_agree
from tests.programs.test_library_calls import weights


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Row(TypedDict):
    tokens: list[int]
    label: int
    vec: Float32[Tensor, "H"]
    name: str | None


class Named(Row):
    score: float


class Tree(TypedDict):
    label: int
    kids: list[Tree]


@dataclass
class Document:
    rows: list[Row]
    meta: Named | None


@ab.model
def read(p: P, row: Row) -> Any:
    total = sum([p.emb[t] for t in row["tokens"]]) + row["vec"] * row["label"]
    return total, row["name"], len(row), "label" in row, row.get("other", 3)


@ab.model
def all_values(p: P, row: Row) -> Any:
    return row, list(row), list(row.keys())


@ab.model
def in_data(p: P, doc: Document) -> Any:
    score = 0.0 if doc.meta is None else doc.meta["score"]
    return [row["vec"] @ p.w for row in doc.rows], score


@ab.model
def encode(p: P, tree: Tree) -> Float32[Tensor, "H"]:
    if not tree["kids"]:
        return p.emb[tree["label"]]
    return np.tanh(sum([encode(p, kid) for kid in tree["kids"]]) @ p.w)


_VEC = np.arange(4, dtype="float32")
ROWS: list[Any] = [
    {"tokens": [1, 2], "label": 2, "vec": _VEC, "name": None},
    {"tokens": [3], "label": 5, "vec": -_VEC, "name": "x"},
]
_LEAF: Any = {"label": 3, "kids": []}
_INNER: Any = {"label": 1, "kids": [_LEAF, {"label": 4, "kids": [_LEAF]}, _LEAF]}
CASES: list[tuple[Any, list[Any]]] = [
    (read, ROWS),
    (all_values, ROWS),
    (in_data, [Document(ROWS, {**ROWS[0], "score": 0.5}), Document([], None)]),
    (encode, [_LEAF, _INNER, {"label": 0, "kids": [_INNER, _INNER]}]),
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
    for x, got in zip(instances, ab.compile(model, p, options=options)(instances), strict=True):
        assert_agree(model(p, x), got)


@ab.model
def loss(p: P, row: Row) -> Float32[Tensor, ""]:
    return ((row["vec"] @ p.w) ** 2).sum()


def test_gradients() -> None:
    p = weights(P)
    _, grads = ab.gradients(loss, p)(ROWS)
    expected = sum(2 * np.outer(r["vec"], r["vec"] @ p.w) for r in ROWS)
    np.testing.assert_allclose(grads.w, expected, rtol=1e-4, atol=1e-5)


_KEYS = "the keys 'tokens', 'label', 'vec', 'name'"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"tokens": [1]},
            f"instances[1]: expected a dict with {_KEYS}, got one with the keys 'tokens'",
        ),
        (
            {"name": None, "tokens": [1], "label": 2, "vec": _VEC},
            f"instances[1]: expected a dict with {_KEYS}, in this order, got one with the keys "
            "'name', 'tokens', 'label', 'vec'",
        ),
        ({}, f"instances[1]: expected a dict with {_KEYS}, got one with no keys"),
        ({1: 2}, f"instances[1]: expected a dict with {_KEYS}, got one with the keys int (1)"),
        (5, f"instances[1]: expected a dict with {_KEYS}, got int (5)"),
        ({**ROWS[0], "label": 2.5}, "instances[1]['label']: expected int, got float (2.5)"),
    ],
)
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_others_are_refused(executor: Any, row: Any, message: str) -> None:
    fast = ab.compile(read, weights(P), options=ab.Options(executor=executor))
    with pytest.raises(ab.InstanceError) as error:
        fast([ROWS[0], row])
    assert str(error.value) == message


class Partial(TypedDict, total=False):
    label: int


@ab.model
def partial(p: P, row: Partial) -> int:
    return row["label"]


def test_keys_that_may_be_missing_are_refused() -> None:
    with pytest.raises(ab.ModelError) as error:
        ab.compile(partial, weights(P))
    assert error.value.msg == (
        "AC004: the hint of 'row': the key 'label' of Partial may be missing, and a program needs "
        "all of them; their values may be None"
    )
