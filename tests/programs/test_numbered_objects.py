"""Objects that are known by several names are compiled with numbers for them; what numbers cannot
do is refused."""

# mypy: disable-error-code="no-untyped-call, no-untyped-def, var-annotated"

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.model import Model
from tests.programs import given_list_models, object_models
from tests.programs.cases import LISTS
from tests.programs.listed_object_models import P
from tests.programs.test_library_calls import weights
from tests.programs.test_listed_objects import REFUSED as LISTED
from tests.selection import with_executors
from workloads.results import flatten

# What numbers do not help: a list that grows in its loop, lists and functions that are known
# elsewhere, tensors that change in place.
STILL = {
    "grows_in_its_loop",
    "in_a_chain",
    "known_before_it_is_put_in",
    "list_of_an_item",
    "read_by_a_map",
    "read_while_it_changes",
    "tensor_in_place",
    "without_an_index",
}
SHARED: list[Any] = [
    m
    for m in (*map(ab.model, LISTED), *object_models.SHARED, *given_list_models.REFUSED)
    if m.function.__name__ not in STILL
]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("model", "executor"),
    with_executors(SHARED),
    ids=lambda x: x if isinstance(x, str) else x.function.__name__,
)
def test_what_one_name_is_too_few_for(model: Model[..., Any], executor: Any) -> None:
    p = weights(model.function.__globals__["P"])
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    for instance in LISTS:
        want, got = _ended(model, p, instance), _ended(lambda _, xs: fast([xs])[0], p, instance)
        if isinstance(want, Exception):
            assert isinstance(got, ab.InstanceError)
            continue
        (texts, arrays), (got_texts, got_arrays) = flatten(want), flatten(got)
        assert got_texts.replace("tensor[]", "float") == texts.replace("tensor[]", "float")
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


def _ended(function: Any, p: Any, instance: list[int]) -> Any:
    try:
        return function(p, list(instance))
    except Exception as error:  # what the author's own program raises
        return error


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.kids = []
        self.tags = {}


@dataclass
class Tagged:
    value: int
    tags: list[str] = field(default_factory=list)
    next: Any = None


class Box:
    def __init__(self, items):
        self.items = items


def result(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    b.value += 1
    return [a]


def copied(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = copy.copy(a)
    c = b
    c.value += 5
    return a.value


def shown(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    b.value = 3
    return f"{a}"


def compared_by_fields(p: P, xs: list[int]) -> Any:
    a, b = Tagged(1), Tagged(1)
    a.next = b
    b.value += 1
    return a == b


def list_of_two_objects(p: P, xs: list[int]) -> Any:
    shared = [Node(1)]
    a, b = Node(2), Node(3)
    a.kids = shared
    b.kids = shared
    a.kids.append(Node(4))
    return len(b.kids)


def list_of_the_caller(p: P, xs: list[int]) -> Any:
    items = [1, 2]
    a = Box(items)
    b = a
    b.items.append(3)
    return a.items, items


def list_with_a_name(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    kids = a.kids
    b.kids.append(Node(3))
    return len(kids)


def dict_in_its_loop(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    b.tags["x"] = 1
    for k in a.tags:
        b.tags[k + "y"] = 2
    return b.tags


def grown_in_a_comprehension(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a

    def add(n):
        b.kids.append(Node(n))
        return n

    add(1)
    return [add(k.value) for k in a.kids]


def tensor_in_place(p: P, xs: list[int]) -> Any:
    a = Box(p.b * 2)
    b = a
    old = b.items
    b.items += p.b
    return old, a.items


def yields(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a

    def values():
        yield a.value
        yield b.value

    b.value += 1
    return list(values())


REFUSED = [
    result,
    copied,
    shown,
    compared_by_fields,
    list_of_two_objects,
    list_of_the_caller,
    list_with_a_name,
    dict_in_its_loop,
    grown_in_a_comprehension,
    tensor_in_place,
    yields,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_numbers_cannot_do(function: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(ab.model(function), weights(P), options=ab.Options(executor="vm"))
    assert "_number_of_" not in caught.value.render()


def test_results_have_no_objects() -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(ab.model(result), weights(P), options=ab.Options(executor="vm"))
    assert caught.value.render().splitlines()[-2:] == [
        "AC023: the entry function result returns a Node that is known by several names",
        "  instead: what is asked of it, `return x.kids`",
    ]


@ab.model
def of_nothing(p: P, xs: list[int]) -> int:
    a = Node(1)
    b = a
    b.value += 1
    for _ in xs:
        b.parent = Node(2)
        if len(xs) > 2:
            b.parent = None
    return a.parent.value


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_field_of_none_is_a_fault_of_the_instance() -> None:
    fast = ab.compile(of_nothing, weights(P), options=ab.Options(executor="vm"))
    assert fast([[1, 2]]) == [2]
    with pytest.raises(ab.InstanceError, match=r"a\.parent is None, and has no .value."):
        fast([[1, 2, 3]])
