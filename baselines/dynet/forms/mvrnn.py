"""mvrnn: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .shared import Form, tree_arrays, with_labels


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    h = params.vectors.shape[1]
    return tree_arrays(instances), lambda p, _: [p.take(h) for _ in instances]


loss_form = with_labels(form, "tree")
