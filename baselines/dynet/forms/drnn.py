"""drnn: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workloads.drnn import Nothing, Tree

from .shared import Form, Parts, double_arrays


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    arrays = {
        "tokens": np.array([s.token for s in instances], np.int32),
        **double_arrays("child", [s.child for s in instances]),
        **double_arrays("sibling", [s.sibling for s in instances]),
    }
    c = params.w_label.shape[1]

    def rebuild(parts: Parts, numbers: list[int]) -> list[Any]:
        flags = iter(numbers)

        def tree() -> Any:
            label, child, sibling = parts.take(c), next(flags), next(flags)
            return Tree(label, tree() if child else Nothing(), tree() if sibling else Nothing())

        return [tree() for _ in instances]

    return arrays, rebuild
