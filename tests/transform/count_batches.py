"""How much of a mini-batch runs together, for results that are those of plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab


def count_batches(model: Any, p: Any, instances: list[Any], **options: Any) -> tuple[int, int]:
    """How many batches and waits; the results are those of plain Python. By inline depth, for it is
    what passes line nodes up for."""
    options = {"scheduler": "inline_depth", **options}
    fast = ab.compile(model, p, options=ab.Options(**options))
    for got, instance in zip(fast(instances), instances, strict=True):
        arguments = instance if isinstance(instance, tuple) else (instance,)
        np.testing.assert_allclose(got, model(p, *arguments), atol=1e-5)
    return fast.last_profile.n_batches, fast.last_profile.n_syncs
