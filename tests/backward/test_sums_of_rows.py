"""What nodes say of rows of a table becomes one sum for each row that was read: in numpy and by the
run-time of a compiled program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from acrobat.backward.compiled import compiled_vjp
from acrobat.backward.native import NativeTraining
from acrobat.backward.weights import Collected, RowSums
from acrobat.lang.sparse_rows import SparseRows


@ab.params
class P:
    emb: Float32[Tensor, "V H"]


@ab.model
def read(p: P, word: int) -> Float32[Tensor, "H"]:
    return p.emb[word] * 2.0


@pytest.fixture(scope="module")
def native() -> RowSums:
    fast = ab.compile(read, P(emb=np.ones((4, 3), np.float32)), target="cpu")
    training = compiled_vjp(fast).training
    assert isinstance(training, NativeTraining)
    return training.row_sums


def drawn(rows: int, *shape: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(rows)
    return [
        (rng.integers(rows, size=n), rng.normal(size=(n, *shape)).astype(np.float32))
        for n in (200, 0, 100)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 3, 40, 5000], ids="{} rows".format)
@pytest.mark.parametrize("way", ["numpy", "native"])
def test_every_row_once(rows: int, way: str, request: pytest.FixtureRequest) -> None:
    """Of few rows each is read often, of many hardly any twice."""
    sums: Any = request.getfixturevalue("native") if way == "native" else None
    weight, parts = np.zeros((rows, 3), np.float32), drawn(rows, 3)
    found = Collected({"emb": weight}, {}, {"emb": parts}, sums).results()["emb"]
    assert isinstance(found, SparseRows)
    want = np.zeros((rows, 3))
    for numbers, values in parts:
        np.add.at(want, numbers, values)
    assert np.array_equal(found.rows, np.unique(np.concatenate([n for n, _ in parts])))
    np.testing.assert_allclose(np.asarray(found), want, atol=1e-4)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 8)], ids="of {}".format)
def test_values_are_added_in_the_order_in_which_they_came(
    native: RowSums, shape: tuple[int, ...]
) -> None:
    """To the last bit, whatever the table's rows are."""
    parts = drawn(40, *shape)
    want: dict[int, np.ndarray] = {}
    for numbers, values in parts:
        for n, value in zip(numbers.tolist(), values, strict=True):
            want[n] = want[n] + value if n in want else value
    rows, sums = native(parts, (40, *shape))
    assert rows.tolist() == sorted(want)
    np.testing.assert_array_equal(sums, np.stack([want[n] for n in sorted(want)]))


def test_no_rows_at_all(native: RowSums) -> None:
    rows, sums = native([(np.empty(0, np.int64), np.empty((0, 3), np.float32))], (40, 3))
    assert rows.shape == (0,) and sums.shape == (0, 3)
