"""Examples from which no types follow: the error says which, where, and what to do instead."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.examples import models

_PARTS = (
    "numbers, strings, arrays of float32, lists, tuples, dicts, sets, None and objects of @ab.data "
    "classes, dataclasses or classes whose `__init__` sets fields"
)


@ab.model
def one(p: models.P, x: Any) -> Any:
    return x


@ab.model
def two(p: models.P, x, y: list) -> Any:  # type: ignore[no-untyped-def, type-arg]
    return x + sum(y)


def _with_other_fields() -> list[models.Tree]:
    a, b = models.Tree(1), models.Tree(2)  # type: ignore[no-untyped-call]
    b.parent = None  # type: ignore[attr-defined]
    return [models.Tree(0, [a, b])]  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (5, "examples: expected a list of instances, got int; for one instance pass a list of one"),
        ([], "examples: an empty list tells no types; give a few instances"),
        ([None], "examples[0]: None in all examples; give one in which it is something else"),
        ([[]], "examples[0]: a list that is empty in all examples; give one with items, or a hint"),
        ([{}], "examples[0]: a dict that is empty in all examples; give one with items, or a hint"),
        ([()], "examples[0]: a tuple that is empty in all examples; give one with items, "
         "or a hint"),
        (
            [{"a": 1, "b": "x"}, {"a": 1, "c": "x"}],
            "examples[1]: a dict with the keys 'a', 'c', and examples[0] has the keys 'a', 'b'; "
            "the same keys in the same order, as their values are of several types",
        ),
        ([np.arange(3)], "examples[0]: an array of int64; a list of numbers, x.tolist()"),
        (
            [[1.0], [np.float32(1)]],
            "examples[1][0]: a float32 (np.float32(1.0)); a number of Python's, x.item()",
        ),
        (
            [np.zeros(4), np.zeros((4, 4))],
            "examples[1]: an array of shape (4, 4), and examples[0] has shape (4,); arrays of "
            "one rank",
        ),
        ([np.array([1e300])], "examples[0]: 1e+300 is beyond float32, whose largest number is "
         "3.4028235e+38"),
        ([deque([1])], "examples[0]: a deque, which no instance has; a list, list(x)"),
        ([object()], f"examples[0]: an object, which no instance has; {_PARTS}"),
        ([lambda: 0], f"examples[0]: a function, which no instance has; {_PARTS}"),
        (
            _with_other_fields(),
            "examples[0].kids[1]: not all objects of Tree have a field 'parent'; set it in "
            "Tree.__init__, to None where there is none",
        ),
    ],
)  # fmt: skip
def test_say_what_is_wrong(examples: Any, message: str) -> None:
    with pytest.raises(ab.InstanceError) as error:
        ab.compile(one, models.weights(), examples=examples)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("examples", "got"), [([1], "int"), ([(1,)], "a tuple of 1"), ([(1, [2], 3)], "a tuple of 3")]
)
def test_of_several_parameters(examples: Any, got: str) -> None:
    with pytest.raises(ab.InstanceError) as error:
        ab.compile(two, models.weights(), examples=examples)
    assert str(error.value) == f"examples[0]: expected a tuple (x, y), got {got}"


def test_an_error_about_a_missing_hint_mentions_examples() -> None:
    with pytest.raises(ab.ModelError) as error:
        ab.compile(two, models.weights())
    first, second = error.value.errors
    assert first.hint == (
        "`x: <type>`, such as int, Float32[Tensor, 'H'], or a data class, or "
        "`ab.compile(..., examples=instances)`"
    )
    assert second.hint == "`list[int]` and the like, or `ab.compile(..., examples=instances)`"


def test_an_instance_unlike_the_examples_is_at_fault() -> None:
    fast = ab.compile(one, models.weights(), examples=[1, 2])
    with pytest.raises(ab.InstanceError) as error:
        fast([1, 2.5])  # type: ignore[list-item]
    assert str(error.value) == "instances[1]: expected int, got float (2.5)"
