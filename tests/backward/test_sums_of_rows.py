"""What nodes say of rows of a table becomes one sum for each row that was read."""

from __future__ import annotations

import numpy as np
import pytest

from acrobat.backward.weights import Collected
from acrobat.lang.sparse_rows import SparseRows


@pytest.mark.parametrize("rows", [1, 3, 40, 5000], ids="{} rows".format)
def test_every_row_once(rows: int) -> None:
    """Of few rows each is read often, of many hardly any twice."""
    rng = np.random.default_rng(rows)
    weight = np.zeros((rows, 3), np.float32)
    parts = [
        (rng.integers(rows, size=n), rng.normal(size=(n, 3)).astype(np.float32))
        for n in (200, 0, 100)
    ]
    found = Collected({"emb": weight}, by_row={"emb": parts}).results()["emb"]
    assert isinstance(found, SparseRows)
    want = np.zeros((rows, 3))
    for numbers, values in parts:
        np.add.at(want, numbers, values)
    assert np.array_equal(found.rows, np.unique(np.concatenate([n for n, _ in parts])))
    np.testing.assert_allclose(np.asarray(found), want, atol=1e-4)
