"""Instances of plain dataclasses and named tuples: as in plain Python, or refused."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np
import pytest

import acrobat as ab
from tests.programs import made_union_models, plain_data_models, plain_heir_models
from tests.programs.cases import LISTS
from tests.programs.test_library_calls import weights
from tests.selection import with_executors


def same(got: Any, want: Any) -> None:
    """Equal, and of the same classes."""
    if isinstance(want, np.ndarray):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    elif dataclasses.is_dataclass(want):
        assert type(got) is type(want)
        for f in dataclasses.fields(want):
            same(getattr(got, f.name), getattr(want, f.name))
    elif isinstance(want, dict):
        assert list(got) == list(want)
        same(list(got.values()), list(want.values()))
    elif isinstance(want, (list, tuple)):
        assert type(got) is type(want) and len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            same(a, b)
    else:
        assert (type(got), got) == (type(want), want)


CASES = [
    *plain_data_models.CASES,
    *plain_heir_models.CASES,
    *((model, LISTS) for model in made_union_models.MODELS),
]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("case", "executor"),
    with_executors(CASES),
    ids=lambda x: x if isinstance(x, str) else x[0].function.__name__,
)
def test_as_in_plain_python(case: tuple[Any, list[Any]], executor: Any) -> None:
    model, instances = case
    p = weights(model.function.__globals__["P"])
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    for instance, got in zip(instances, fast(instances), strict=True):
        same(got, model(p, instance))


def test_objects_of_another_class() -> None:
    p = weights(plain_data_models.P)
    fast = ab.compile(plain_data_models.fields, p, options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError, match=r"instances\[0\]: expected Sentence, got Chain"):
        fast([cast(Any, plain_data_models.Chain(1))])

    @dataclasses.dataclass
    class Longer(plain_data_models.Sentence):
        more: int = 0

    hint = r"write a hint that names all, `Sentence \| Longer`"
    wanted = f"got Longer, a subclass of Sentence; {hint}"
    with pytest.raises(ab.InstanceError, match=wanted):
        fast([Longer([1])])


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_fields_that_do_not_fit(executor: Any) -> None:
    p = weights(plain_data_models.P)
    fast = ab.compile(plain_data_models.built, p, options=ab.Options(executor=executor))
    chain = plain_data_models.Chain(1, plain_data_models.Chain(2))
    chain.next.value = "two"  # type: ignore[union-attr]
    with pytest.raises(ab.InstanceError, match=r"instances\[0\].next.value: expected int, got str"):
        fast([chain])
    chain.next = chain
    with pytest.raises(ab.InstanceError, match="a cycle, and an instance must end"):
        fast([chain])
    del chain.value
    with pytest.raises(ab.InstanceError, match="Chain has no value: it was never set"):
        fast([chain])


@pytest.mark.usefixtures("interpreted_kernels")
def test_instances_stay_as_they_are() -> None:
    """The interpreter and the library read them without giving them attributes."""
    p = weights(plain_data_models.P)
    instance = plain_data_models.Chain(1, plain_data_models.Chain(2))
    for executor in ("vm", "aot"):
        options = ab.Options(executor=executor)
        (made,) = ab.compile(plain_data_models.built, p, options=options)([instance])
        assert vars(made) == {"value": 1, "next": plain_data_models.Chain(0)}
        assert list(vars(instance)) == ["value", "next"]
