"""Operations whose results count as constants in differentiation."""

from __future__ import annotations

import numpy as np

from ..arithmetic import Builder, Number
from ..derivative import no_derivative
from ..random_numbers import BITS, uniform, uniform_form
from .record import pointwise


def _same(m: Builder, x: Number) -> Number:
    return x


RECORDS = (
    pointwise(
        "stop_gradient",
        np.positive,
        _same,
        "ops.stop_gradient(x)",
        "x, as a constant of whatever is differentiated.",
        derivative=no_derivative,
        partials=(None,),
    ),
    pointwise(
        "uniform",
        uniform,
        uniform_form,
        "",
        "A random number in [0, 1) for a position and a key of two numbers.",
        domain=(0.0, 2.0**BITS - 1),
        derivative=no_derivative,
        partials=(None, None, None),
    ),
)
