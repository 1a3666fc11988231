"""treelstm_childsum: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .shared import Form, with_labels


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    rows: list[tuple[int, int]] = []
    sizes: list[int] = []
    for tree in instances:
        before = len(rows)
        # Post-order, children in order: the reverse of a pre-order with children from the right.
        stack = [tree]
        while stack:
            node = stack.pop()
            rows.append((node.word, len(node.children)))
            stack.extend(node.children)
        rows[before:] = rows[before:][::-1]
        sizes.append(len(rows) - before)
    h = params.emb.shape[1]
    arrays = {"nodes": np.array(rows, np.int32), "sizes": np.array(sizes, np.int32)}
    return arrays, lambda p, _: [(p.take(h), p.take(h)) for _ in instances]


loss_form = with_labels(form, "tree")
