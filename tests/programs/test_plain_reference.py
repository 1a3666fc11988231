"""What the reference of random programs puts in the place of what cannot be computed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.generator.plain import Plain, instrumented

PRODUCT = """\
import math
import numpy as np
from acrobat import ops

def f(a, b):
    return a @ b
"""


def product(plain: Plain, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return plain.load(instrumented(PRODUCT, "product.py")).f(a, b)


def test_a_product_that_fits_is_computed() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    assert np.array_equal(product(Plain(1), a, b), a @ b)


@pytest.mark.parametrize(
    "a, b, shape", [((3, 2), (3, 5), (3, 5)), ((2,), (3, 5), (5,)), ((3, 2), (3,), (3,))]
)
def test_a_product_that_does_not_fit_is_filled_in(
    a: tuple[int, ...], b: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        product(Plain(), np.ones(a), np.ones(b))
    filled = product(Plain(6), np.ones(a), np.ones(b))
    assert filled.shape == shape and np.all(filled == 6)
