"""berxit: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .shared import Form, double_arrays


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    arrays = {
        "tokens": np.stack([s.tokens for s in instances]),
        **double_arrays("thresholds", [s.thresholds for s in instances]),
    }
    c = params.w_class.shape[1]
    return arrays, lambda p, numbers: [(p.take(c), n) for n in numbers]
