"""The hint `float`, said of tensors: of rank 0 it is as good as true; of others it is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs import float_hint_models
from tests.programs.listed_object_models import P
from tests.programs.test_library_calls import weights

REFUSED = float_hint_models.REFUSED


@pytest.mark.parametrize("model", REFUSED, ids=lambda m: m.function.__name__)
def test_other_values_are_refused(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(P), options=ab.Options(executor="vm"))
    assert REFUSED[model] in caught.value.render()


def test_a_loss_with_such_a_hint_has_gradients() -> None:
    p = weights(P)
    step = ab.gradients(float_hint_models.recursive, p)
    losses, found = step([[1, 2, 2]])
    assert losses[0] == pytest.approx(float(p.emb[[1, 2, 2]].sum()), rel=1e-5)
    counts = np.zeros_like(p.emb)
    counts[1], counts[2] = 1.0, 2.0
    rows = found.emb
    dense = rows.dense() if hasattr(rows, "dense") else np.asarray(rows)
    np.testing.assert_allclose(dense, counts)
