"""The driver's form of labelled instances, and of how many terms the loss of each is the sum: one
function per workload with a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workloads.losses.stackrnn import choices
from workloads.losses.treelstm import flat_labels

from .forms import FORMS, sentence_arrays, tree_arrays

# The arrays that the driver reads, and the number of terms of each instance.
LossForm = tuple[dict[str, np.ndarray], np.ndarray]


def _treelstm(instances: Sequence[Any], params: Any) -> LossForm:
    arrays = tree_arrays(instances)
    arrays["node_labels"] = np.concatenate([flat_labels(tree) for tree in instances])
    return arrays, arrays["sizes"]


def _birnn(instances: Sequence[Any], params: Any) -> LossForm:
    arrays = sentence_arrays([s.words for s in instances])
    arrays["tags"] = np.concatenate([np.array(s.tags, np.int32) for s in instances])
    return arrays, arrays["lengths"]


def _stackrnn(instances: Sequence[Any], params: Any) -> LossForm:
    arrays = sentence_arrays([given.words for given in instances])
    arrays["actions"] = np.concatenate([np.array(given.actions, np.int32) for given in instances])
    return arrays, np.array([choices(given) for given in instances], np.int64)


def _classified(workload: str, bare: str) -> Callable[[Sequence[Any], Any], LossForm]:
    """Of instances of a workload, the field `bare` of what has a label; one term each."""

    def form(instances: Sequence[Any], params: Any) -> LossForm:
        arrays, _ = FORMS[workload]([getattr(given, bare) for given in instances], params)
        arrays["labels"] = np.array([given.label for given in instances], np.int32)
        return arrays, np.ones(len(instances), np.int64)

    return form


# From instances and the workload's own weights.
LOSS_FORMS: dict[str, Callable[[Sequence[Any], Any], LossForm]] = {
    "treelstm": _treelstm,
    "birnn": _birnn,
    "treelstm_childsum": _classified("treelstm_childsum", "tree"),
    "mvrnn": _classified("mvrnn", "tree"),
    "stackrnn": _stackrnn,
    "nestedrnn": _classified("nestedrnn", "document"),
}
