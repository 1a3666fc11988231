"""`ops.split` of a matrix along its rows, with and without blocks of several operations."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    b: Float32[Tensor, "H"]


@ab.model
def row_of_part(p: P, m: Float32[Tensor, "3 H"], n: int) -> Float32[Tensor, "H"]:
    _, lower = ops.split(ops.concat(m, m * 2, axis=0), 2, axis=0)
    return ops.tanh(lower[n]) + p.b


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("coarsening", [True, False])
def test_a_row_of_a_part(coarsening: bool) -> None:
    rng = np.random.default_rng(3)
    p = P(b=rng.normal(size=4).astype(np.float32))
    instances = [(rng.normal(size=(3, 4)).astype(np.float32), n) for n in range(3)]
    options = ab.Options(executor="vm", grain_size_coarsening=coarsening)
    fast = ab.compile(row_of_part, p, options=options)
    for got, instance in zip(fast(instances), instances, strict=True):
        np.testing.assert_allclose(got, row_of_part(p, *instance), rtol=1e-5, atol=1e-6)
