"""The gradient of a part of a product, which is zero where the part is not."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from tests.backward.against_tape import VM, check


@ab.params
class P:
    w: Float32[Tensor, "H H"]


@ab.model
def first(p: P, x: Float32[Tensor, "H"]) -> Float32[Tensor, "1"]:
    return (p.w @ x)[0:1] * 2


@ab.model
def inner(p: P, x: Float32[Tensor, "H"]) -> Float32[Tensor, ""]:
    y = p.w @ x
    return ((p.w @ y)[1:3] * y[:2]).sum()


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("model", [first, inner])
def test_parts(model: object) -> None:
    rng = np.random.default_rng(0)
    params = P(w=rng.normal(size=(4, 4)))
    instances = [rng.normal(size=4).astype(np.float32) for _ in range(3)]
    check(model, params, instances, **VM)
