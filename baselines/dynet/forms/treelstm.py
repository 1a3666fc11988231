"""treelstm: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workloads.losses.treelstm import flat_labels

from .shared import Form, LossForm, tree_arrays


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    h = params.emb.shape[1]
    return tree_arrays(instances), lambda p, _: [(p.take(h), p.take(h)) for _ in instances]


def loss_form(instances: Sequence[Any], params: Any) -> LossForm:
    """The arrays of labelled instances, and the number of terms of each loss."""
    arrays = tree_arrays(instances)
    arrays["node_labels"] = np.concatenate([flat_labels(tree) for tree in instances])
    return arrays, arrays["sizes"]
