"""`__post_init__` runs once for each object: in the model for those that the model makes, and in
the author's code for those of an instance."""

from __future__ import annotations

from typing import Any

import pytest

import acrobat as ab
from tests.programs import post_init_models as models
from tests.programs.listed_object_models import P
from tests.programs.post_init_models import Best, Score
from tests.programs.test_library_calls import weights


@ab.model
def first(p: P, xs: list[Best]) -> Best:
    return xs[0]


@ab.model
def one(p: P, n: int) -> Score:
    return Score(n)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_objects_of_an_instance_come_back_as_they_were(executor: Any) -> None:
    fast = ab.compile(first, weights(P), options=ab.Options(executor=executor))
    xs = [Best(Score(1)), Best(None)]
    assert fast([xs, xs[1:]]) == xs
    assert fast([xs])[0].score == Score(1)


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_failed_check_is_a_fault_of_the_instance() -> None:
    fast = ab.compile(one, weights(P), options=ab.Options(executor="vm"))
    assert fast([3]) == [Score(3)]
    with pytest.raises(ab.InstanceError, match="below 0"):
        fast([-1])


@pytest.mark.parametrize(
    ("function", "message"), models.REFUSED, ids=[f.__name__ for f, _ in models.REFUSED]
)
def test_refused(function: Any, message: str) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(ab.model(function), weights(P), options=ab.Options(executor="vm"))
    assert message in str(caught.value)
