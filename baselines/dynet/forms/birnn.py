"""birnn: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .shared import Form, LossForm, sentence_arrays


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    c = params.w_out.shape[1]
    return sentence_arrays(instances), lambda p, _: [[p.take(c) for _ in s] for s in instances]


def loss_form(instances: Sequence[Any], params: Any) -> LossForm:
    """The arrays of labelled instances, and the number of terms of each loss."""
    arrays = sentence_arrays([s.words for s in instances])
    arrays["tags"] = np.concatenate([np.array(s.tags, np.int32) for s in instances])
    return arrays, arrays["lengths"]
