"""Objects in lists that may change under another name: refused, with the name and a remedy."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import acrobat as ab
from tests.programs import shared_object_models as shared
from tests.programs.listed_object_models import P
from tests.programs.test_library_calls import weights

REFUSED: dict[Callable[..., Any], tuple[str, str]] = {
    shared.another_name: (
        "`other = items` may give the objects in items, whose fields change, other names",
        "a copy, `copy.deepcopy(items)`",
    ),
    shared.in_another_list: (
        "`others.append(items[0])` may give items[0], an object in items whose fields "
        "change, another name",
        "a copy, `copy.deepcopy(items[0])`, or a function that only reads or assigns its fields",
    ),
    shared.filtered_into_another: (
        "`odd = [i for i in items if i.x % 2]` may give the objects in items, whose "
        "fields change, other names",
        "a copy, `copy.deepcopy(items)`",
    ),
    shared.named_when_put_in: (
        "`items.append(item)` puts an object into items that has another name",
        "the object itself there, where it is made",
    ),
    shared.of_a_function: (
        "`items = [Item(x) for x in xs] + items[:1] + items[1:]`, of objects that may "
        "have other names, and whose fields change",
        "a list of objects that are made there, `[C(x) for x in xs]`",
    ),
    shared.through_a_method: (
        "`items[0].itself()` may give items[0], an object in items whose fields "
        "change, another name",
        "a method that only reads or assigns fields of its object",
    ),
    shared.sorted_meanwhile: (
        "first, a name of an object in items whose fields change, stays while the "
        "order of the list changes",
        "its index in place of the name, `items[i]`",
    ),
    shared.popped_meanwhile: (
        "last, a name of an object in items whose fields change, stays while the order "
        "of the list changes",
        "its index in place of the name, `items[i]`",
    ),
    shared.replaced_meanwhile: (
        "first, a name of an object in items whose fields change, stays while another "
        "object takes its place",
        "its index in place of the name, `items[i]`",
    ),
    shared.grows_in_its_loop: (
        "item, a name of an object in items whose fields change, stays while the list changes",
        "its index in place of the name, `items[i]`",
    ),
    shared.after_its_loop: (
        "item, a name of an object in items whose fields change, is used where it may "
        "stand for another one",
        "its index in place of the name, `items[i]`",
    ),
    shared.reordered_inside: (
        "first, a name of an object in items whose fields change, stays while a "
        "function inside may change the order of the list",
        "its index in place of the name, `items[i]`",
    ),
    shared.parameter_of_its_name: (
        "items, a name of objects whose fields change, also means something else",
        "another name for one of them",
    ),
    shared.read_while_it_changes: (
        "`items[0].call(lambda: items[0].x)`, which changes an object in items, while "
        "a function inside also mentions items",
        "parameters for what that reads of items",
    ),
    shared.same_object_twice: (
        "`a.pull(b)` changes x of a, and reads it of b, which may be the same object",
        "the fields of the other as arguments, `b.x`",
    ),
    shared.both_change: (
        "`push(items[0], items[-1])` changes two objects in items, which may be the same one",
        "a call for each of them, which gets the other's fields",
    ),
    shared.changed_by_another: (
        "`items[0].give(items[-1])` changes an object in items that it gets",
        "a function of both objects, or a method of this",
    ),
    shared.list_of_an_item: (
        "`items[0].keep(1)` changes the list or dict log of an object in items",
        "a new one in its place, `x.log = [*x.log, y]`",
    ),
    shared.in_a_comprehension: (
        "`i.step()` changes an object that is not known by its index in items",
        "a `for` over items, or a name for the object in a statement before",
    ),
    shared.in_a_chain: (
        "`items[0].step()` changes an object in items in a part of an expression",
        "a statement of its own before, `y = items[0].step()`",
    ),
    shared.in_a_local_function: (
        "`items[i].step()`, which changes an object in items, in a function inside",
        "the call in the function that makes the list",
    ),
    shared.beside_another_change: (
        "`add_to(items[0], total)`, which changes an object in items, in a statement "
        "in which something else may change, too",
        "a statement of its own, `y = add_to(items[0], total)`",
    ),
    shared.read_by_a_map: (
        "`map(lambda i: items[i].x, range(len(items)))` calls a function that may read items only "
        "later",
        "a list comprehension, `[... for ... in ...]`",
    ),
    shared.without_an_index: (
        "`max(items, key=lambda i: i.x).step()` changes an object that is not known by "
        "its index in items",
        "a `for` over items, or a name for the object in a statement before",
    ),
}


@ab.model
def too_small(p: P, xs: list[int]) -> int:
    items = [shared.Item(x) for x in [1, 2, 3]]
    item = items[xs[0]]
    item.step()
    return item.x


@ab.model
def too_small_at_first(p: P, xs: list[int]) -> int:
    items = [shared.Item(x) for x in [1, 2, 3]]
    item = items[xs[0]]
    items.append(shared.Item(4))
    item.step()
    return item.x


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    "model", [too_small, too_small_at_first], ids=lambda m: m.function.__name__
)
def test_an_index_out_of_range(model: Any) -> None:
    """It is that of the list as it is where the item gets its name."""
    p = weights(P)
    fast = ab.compile(model, p, options=ab.Options(executor="vm"))
    for i in (-3, -1, 0, 2):
        assert fast([[i]]) == [model(p, [i])]
    for i in (-7, -5, -4, 3, 4):
        with pytest.raises(IndexError):
            model(p, [i])
        with pytest.raises(ab.InstanceError, match="out of range"):
            fast([[i]])


@pytest.mark.usefixtures("without_numbers")
@pytest.mark.parametrize("model", REFUSED, ids=lambda m: m.__name__)
def test_another_name_is_refused(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(ab.model(model), weights(P), options=ab.Options(executor="vm"))
    what, instead = REFUSED[model]
    assert caught.value.render().splitlines()[-2:] == [f"AC030: {what}", f"  instead: {instead}"]
