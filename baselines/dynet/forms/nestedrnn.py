"""nestedrnn: the arrays that the driver reads, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .shared import Form, sentence_arrays, with_labels


def form(instances: Sequence[Any], params: Any) -> Form:
    """The arrays of the instances, and the results."""
    h = params.emb.shape[1]
    arrays = sentence_arrays([s for d in instances for s in d.sentences])
    arrays["sentences"] = np.array([len(d.sentences) for d in instances], np.int32)
    return arrays, lambda p, _: [p.take(h) for _ in instances]


loss_form = with_labels(form, "document")
