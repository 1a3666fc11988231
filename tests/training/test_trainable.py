"""Options that training does not have, refused before anything is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Weights:
    w: Float32[Tensor, "H H"]


@ab.model
def loss(p: Weights, x: Float32[Tensor, "H"]) -> Float32[Tensor, ""]:
    return ops.sum(ops.tanh(x @ p.w))


@pytest.mark.parametrize("precision", ["bf16", "tf32", "tf32x3", "bf16x6"])
def test_products_of_other_precisions(precision: Any) -> None:
    weights = Weights(w=np.eye(3, dtype=np.float32))
    with pytest.raises(ab.OptionError) as info:
        ab.gradients(loss, weights, options=ab.Options(precision=precision))
    assert str(info.value) == (
        f"Options.precision='{precision}': gradients are of float32 products; train with "
        f"precision='fp32', and pass precision='{precision}' to ab.compile afterwards"
    )


def test_a_mode_of_the_gpu() -> None:
    weights = Weights(w=np.eye(3, dtype=np.float32))
    with pytest.raises(ab.OptionError) as info:
        ab.gradients(loss, weights, options=ab.Options(gpu_mode="persistent"))
    assert str(info.value) == (
        "Options.gpu_mode='persistent': gradients are computed on the CPU, which launches nothing; "
        "pass gpu_mode='persistent' to ab.compile afterwards"
    )
