"""stackrnn: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workloads.losses.stackrnn import choices

from .shared import Form, LossForm, sentence_arrays


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    h = params.emb.shape[1]
    return sentence_arrays(instances), lambda p, numbers: [(p.take(h), n) for n in numbers]


def loss_form(instances: Sequence[Any], params: Any) -> LossForm:
    """The arrays of labelled instances, and the number of terms of each loss."""
    arrays = sentence_arrays([given.words for given in instances])
    arrays["actions"] = np.concatenate([np.array(given.actions, np.int32) for given in instances])
    return arrays, np.array([choices(given) for given in instances], np.int64)
