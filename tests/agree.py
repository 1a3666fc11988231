"""Whether a compiled model's result is that of plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from workloads.results import flatten


def assert_agree(expected: Any, got: Any, atol: float = 1e-5) -> None:
    """AssertionError unless both have the same structure, numbers and texts, and nearly the same
    arrays."""
    (texts, arrays), (got_texts, got_arrays) = flatten(expected), flatten(got)
    assert got_texts == texts
    for a, b in zip(arrays, got_arrays, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=atol)
