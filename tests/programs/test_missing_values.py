"""A value that may be None, and a name that a loop may not assign, may be used without a test: the
instance is at fault where plain Python raises an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs import after_loop_models
from tests.programs import missing_models as m
from tests.programs.test_library_calls import weights
from tests.selection import with_executors
from workloads.results import flatten

FULL = m.N(2, 1.5, np.ones(4, np.float32), "ab", [1, 2])
LISTS = [[1, 2, 3], [5], [4, 5, 6], [1, 1]]


def check_agrees(model: Any, executor: Any, instances: list[Any]) -> ab.CompiledModel[Any, Any]:
    p = weights(m.P)
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    for instance, got in zip(instances, fast(instances), strict=True):
        (texts, arrays), (got_texts, got_arrays) = flatten(model(p, instance)), flatten(got)
        assert got_texts == texts
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)
    return fast


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize("model", m.OF_NONE, ids=lambda model: model.function.__name__)
def test_none(model: Any, executor: str) -> None:
    fast = check_agrees(model, executor, [FULL])
    with pytest.raises(ab.InstanceError) as caught:
        fast([FULL, m.N()])
    assert str(caught.value).startswith("instances[1]: TypeError: n.")
    assert str(caught.value).endswith(" is None")


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_none_as_an_argument(executor: str) -> None:
    fast = check_agrees(m.argument, executor, [FULL])
    with pytest.raises(ab.InstanceError) as caught:
        fast([m.N()])
    assert str(caught.value) == "instances[0]: TypeError: n.word is None"


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("model", "executor"),
    with_executors([*m.OF_LOOPS, *after_loop_models.MODELS]),
    ids=lambda x: x if isinstance(x, str) else x.function.__name__,
)
def test_names_of_loops(model: Any, executor: str) -> None:
    fast = check_agrees(model, executor, LISTS)
    try:
        expected = model(weights(m.P), [])
    except UnboundLocalError as error:
        with pytest.raises(ab.InstanceError) as caught:
            fast([[1], []])
        (name,) = [word for word in str(error).split() if word.startswith("'")]
        assert str(caught.value) == (
            f"instances[1]: UnboundLocalError: cannot access local variable {name} where it is not "
            "associated with a value"
        )
    else:
        assert flatten(fast([[]])[0])[0] == flatten(expected)[0]
