"""Empty lists that get items later, names that loops may leave as they are: as in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs import (
    assumed_type_models,
    empty_call_models,
    empty_list_models,
    loop_target_models,
    read_before_models,
    search_models,
    stack_models,
)
from tests.selection import with_executors
from workloads.results import flatten

MODELS = [
    *empty_list_models.MODELS,
    *loop_target_models.MODELS,
    *read_before_models.MODELS,
    *assumed_type_models.MODELS,
    *empty_call_models.MODELS,
    *search_models.MODELS,
    *stack_models.MODELS,
]
SIZE = 4
LISTS = [[1, 2, 3], [], [5], [4, 5, 5, 0]]


def weights() -> empty_list_models.P:
    random = np.random.default_rng(0)
    shapes = {"emb": (9, SIZE), "w": (SIZE, SIZE), "b": (SIZE,)}
    return empty_list_models.P(
        **{n: random.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    )


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("model", "executor"),
    with_executors(MODELS),
    ids=lambda x: x if isinstance(x, str) else x.function.__name__,
)
def test_as_in_plain_python(model: Any, executor: Any) -> None:
    p = weights()
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    for instance, got in zip(LISTS, fast(LISTS), strict=True):
        (texts, arrays), (got_texts, got_arrays) = flatten(model(p, instance)), flatten(got)
        assert got_texts.replace("tensor[]", "float") == texts.replace("tensor[]", "float")
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", loop_target_models.SHARED, ids=lambda m: m.function.__name__)
def test_lists_known_by_a_target_that_outlives_its_loop(model: Any) -> None:
    """A change would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(), options=ab.Options(executor="vm"))
    assert caught.value.code == "AC030"
