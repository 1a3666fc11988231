"""Python's libraries in models, objects that change in lists: as in plain Python, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs import (
    array_models,
    attempt_models,
    class_method_models,
    dict_record_models,
    given_array_models,
    given_list_models,
    inherited_method_models,
    inherited_state_models,
    inner_set_models,
    leaving_dict_models,
    leaving_queue_models,
    library_models,
    listed_object_models,
    mixed_dict_models,
    module_object_models,
    nested_collection_models,
    object_models,
    operator_method_models,
    order_method_models,
    ordered_value_models,
    refused_set_models,
    shared_array_models,
    shared_collection_models,
    shared_list_models,
    special_method_models,
)
from tests.programs.cases import CASES
from tests.selection import with_executors
from workloads.results import flatten

SIZE = 4


def weights(cls: Any) -> Any:
    random = np.random.default_rng(0)
    shapes = {"emb": (9, SIZE), "w": (SIZE, SIZE), "b": (SIZE,)}
    return cls(**{n: random.normal(size=s).astype(np.float32) for n, s in shapes.items()})


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
        expected = model(p, *instance) if isinstance(instance, tuple) else model(p, instance)
        (texts, arrays), (got_texts, got_arrays) = flatten(expected), flatten(got)
        # A number that numpy computes in float64 may be a tensor of rank 0.
        assert got_texts.replace("tensor[]", "float") == texts.replace("tensor[]", "float")
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("without_numbers")
@pytest.mark.parametrize("model", object_models.SHARED, ids=lambda m: m.function.__name__)
def test_objects_known_by_another_name(model: Any) -> None:
    """Their changes would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(object_models.P), options=ab.Options(executor="vm"))
    assert caught.value.code in ("AC015", "AC030")


@pytest.mark.parametrize(
    "model",
    [
        *class_method_models.REFUSED,
        *operator_method_models.REFUSED,
        *inherited_method_models.REFUSED,
        *inherited_state_models.REFUSED,
        *module_object_models.REFUSED,
    ],
    ids=lambda m: m.function.__name__,
)
def test_inherited_methods_of_what_has_another_name(model: Any) -> None:
    """Their changes would be visible there, too; or what they mean depends on the object."""
    with pytest.raises(ab.ModelError) as caught:
        p = weights(model.function.__globals__["P"])
        ab.compile(model, p, options=ab.Options(executor="vm"))
    assert caught.value.code in ("AC002", "AC009", "AC012", "AC015", "AC017", "AC027", "AC030")


@pytest.mark.parametrize(
    ("model", "message"),
    (*special_method_models.REFUSED, *order_method_models.REFUSED, *mixed_dict_models.REFUSED),
    ids=lambda case: "" if isinstance(case, str) else case.function.__name__,
)
def test_methods_that_are_not_called_for_syntax(model: Any, message: str) -> None:
    """What Python does there is not in the language."""
    p = weights(model.function.__globals__["P"])
    with pytest.raises(ab.ModelError, match=message):
        ab.compile(model, p, options=ab.Options(executor="vm"))


@pytest.mark.parametrize("model", attempt_models.REFUSED, ids=lambda m: m.function.__name__)
def test_exceptions_that_a_test_cannot_foresee(model: Any) -> None:
    """`try` is refused where what it catches is not known before the statement."""
    with pytest.raises(ab.ModelError, match="AC001: this `try` is not part of the language"):
        ab.compile(model, weights(attempt_models.P), options=ab.Options(executor="vm"))


@pytest.mark.parametrize(
    "model",
    [*array_models.SHARED, *shared_array_models.SHARED, *given_array_models.SHARED],
    ids=lambda m: m.function.__name__,
)
def test_arrays_known_by_another_name(model: Any) -> None:
    """What is stored in them would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        p = weights(model.function.__globals__["P"])
        ab.compile(model, p, options=ab.Options(executor="vm"))
    assert caught.value.code == "AC015"


@pytest.mark.parametrize("model", dict_record_models.REFUSED, ids=lambda m: m.function.__name__)
def test_dicts_as_records_known_by_another_name(model: Any) -> None:
    """What is stored in them would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(dict_record_models.P), options=ab.Options(executor="vm"))
    assert caught.value.code in ("AC008", "AC015", "AC030")


@pytest.mark.parametrize("model", shared_list_models.SHARED, ids=lambda m: m.function.__name__)
def test_captured_lists_known_by_another_name(model: Any) -> None:
    """What local functions append to them would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(shared_list_models.P), options=ab.Options(executor="vm"))
    assert caught.value.code == "AC030"


@pytest.mark.parametrize(
    "model",
    [*shared_collection_models.SHARED, *inner_set_models.REFUSED],
    ids=lambda m: m.function.__name__,
)
def test_collections_inside_others_known_by_another_name(model: Any) -> None:
    """What is stored in them would be visible there, too."""
    with pytest.raises(ab.ModelError) as caught:
        p = weights(model.function.__globals__["P"])
        ab.compile(model, p, options=ab.Options(executor="vm"))
    assert caught.value.code in ("AC002", "AC012", "AC017", "AC030")


@pytest.mark.parametrize(
    "model",
    [
        *refused_set_models.REFUSED,
        *leaving_dict_models.REFUSED,
        *leaving_queue_models.REFUSED,
    ],
    ids=lambda m: m.function.__name__,
)
def test_sets_and_queues_known_by_another_name_and_sets_in_order(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(listed_object_models.P), options=ab.Options(executor="vm"))
    assert caught.value.code in ("AC012", "AC017", "AC021", "AC027", "AC030")


def test_a_dict_that_changes_while_a_loop_runs_over_it() -> None:
    """Only the instance knows that both are the same; plain Python fails, too."""
    p = weights(nested_collection_models.P)
    fast = ab.compile(
        nested_collection_models.changed_while_read, p, options=ab.Options(executor="vm")
    )
    assert fast([[0, 1, 0]]) == [nested_collection_models.changed_while_read(p, [0, 1, 0])]
    with pytest.raises(RuntimeError, match="dictionary changed size"):
        nested_collection_models.changed_while_read(p, [0, 1, 1])
    with pytest.raises(ab.InstanceError, match=r"RuntimeError: d\[i\] changes while a loop"):
        fast([[0, 1, 1]])


@pytest.mark.usefixtures("without_numbers")
@pytest.mark.parametrize("model", given_list_models.REFUSED, ids=lambda m: m.function.__name__)
def test_lists_of_objects_that_are_passed_on(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(given_list_models.P), options=ab.Options(executor="vm"))
    call = given_list_models.REFUSED[model]
    assert caught.value.msg == (
        f"AC030: `{call}` may give the objects in bodies, whose fields change, other names"
    )


@pytest.mark.parametrize("model", ordered_value_models.REFUSED, ids=lambda m: m.function.__name__)
def test_values_with_an_order_of_their_own(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(ordered_value_models.P), options=ab.Options(executor="vm"))
    assert caught.value.msg == ordered_value_models.REFUSED[model]


def test_a_group_that_is_read_twice(tmp_path: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(
            library_models.read_twice, weights(library_models.P), options=ab.Options(executor="vm")
        )
    assert caught.value.render().splitlines()[-2:] == [
        "AC012: the items of a group can be read once only, in the iteration that gives them",
        "  instead: `for key, items in groupby(xs):`, with `items = list(items)` first",
    ]
