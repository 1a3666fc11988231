"""What plain classes mean in Python that records do not: refused, never something else."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, has-type, var-annotated"

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs import moved_list_models, unnamed_object_models
from tests.programs.listed_object_models import P as ListsP
from tests.programs.test_changing_objects import P, Words, data
from tests.programs.test_library_calls import weights


class Counter:
    def __init__(self, count):
        self.count = count


class Log:
    def __init__(self, entries):
        self.entries = entries

    def note(self, k):
        self.entries.append(k)

    def note_all(self, read):
        self.entries.append(1)
        return read()


class Shared:
    def __init__(self, given=[]):  # noqa: B006
        self.given = given

    def give(self, k):
        self.given.append(k)


class Doubled:
    def __init__(self, width):
        self._width = 0
        self.width = width

    @property
    def width(self):
        return self._width * 2

    @width.setter
    def width(self, v):
        self._width = v + 1


class Hooked:
    def __init__(self, depth):
        self.depth = depth

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 1)


@dataclass
class Pair:
    left: list[int]
    right: list[int]
    size: int = 0


@dataclass
class Written:
    height: int

    def __init__(self, height):
        self.height = height + 1


def kept(cache):
    counter = Counter(1)
    cache.append(counter)
    return counter


def read_later_in_a_lambda(xs):
    entries = [1]
    length = lambda: len(entries)  # noqa: E731
    log = Log(entries)
    log.note(2)
    return length()


def read_by_a_function_that_it_passes(xs):
    log = Log([1])
    length = lambda: len(log.entries)  # noqa: E731

    def read():
        return length() + 1

    return log.note_all(read)


def default_of_all_calls(xs):
    shared = Shared()
    shared.give(1)
    return len(shared.given)


def setter(xs):
    return Doubled(3).width


def hook(xs):
    return Hooked(3).depth


def own_init_of_a_dataclass(xs):
    return Written(3).height


def same_object(xs):
    return 1 if Counter(1) == Counter(1) else 0


def among_objects(xs):
    return 1 if Counter(1) in [Counter(1)] else 0


def key(xs):
    return {Counter(1): 2}[Counter(1)]


def parts_of_an_object(xs):
    (count,) = Counter(3)
    return count


def item_of_a_list(xs):
    counters = [Counter(1), Counter(2)]
    first = counters[0]
    other = [first]
    first.count += 5
    return other[0].count


def kept_elsewhere(xs):
    cache = []
    counter = kept(cache)
    counter.count += 5
    return cache[0].count


def one_list_twice(xs):
    both = [1]
    pair = copy.deepcopy(Pair(both, both))
    pair.left.append(2)
    return len(pair.right)


def assigned_inside(xs):
    counter = Counter(1)

    def step():
        counter.count = counter.count + 1
        return 0

    return step() + counter.count


REFUSED = {
    read_later_in_a_lambda: "AC030: log.entries, which note changes, may be known by another name",
    read_by_a_function_that_it_passes: "AC030: a function that this call passes reads log, which",
    default_of_all_calls: "AC030: shared.given, which give changes, may be known by another name",
    setter: "AC012: Doubled is not decorated with @ab.model",
    hook: "AC012: Hooked is not decorated with @ab.model",
    own_init_of_a_dataclass: "AC012: Written is not decorated with @ab.model",
    same_object: "AC027: a comparison of Counter and Counter",
    among_objects: "AC027: a comparison of Counter and Counter",
    key: "a key that is a Counter",
    parts_of_an_object: "AC025: cannot unpack a Counter",
    item_of_a_list: "AC030: `other = [first]` may give an object in counters, whose fields change",
    kept_elsewhere: "AC030: this Counter, whose fields change, may be known by another name",
    one_list_twice: "AC030: pair.left may be known by another name",
    assigned_inside: "AC030: an assignment to counter.count in a part of an expression",
}


@pytest.mark.usefixtures("without_numbers")
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused(function: Any) -> None:
    p, _ = data()

    @ab.model
    def model(p: P, x: Words) -> int:
        return function(x.words)

    with pytest.raises(ab.ModelError) as error:
        ab.compile(model, p)
    assert REFUSED[function] in str(error.value)


@ab.model
def compared(p: P, x: Words) -> tuple[bool, bool, int]:
    """Dataclasses are compared field by field."""
    one, other = Pair([1], [2]), Pair([1], [len(x.words)])
    return one == other, other in [Pair([1], [3]), one], Pair([1], [2], 4).size


@pytest.mark.usefixtures("interpreted_kernels")
def test_dataclasses_are_compared() -> None:
    p, instances = data()
    fast = ab.compile(compared, p, options=ab.Options(executor="vm"))
    assert [tuple(r) for r in fast(instances)] == [compared(p, x) for x in instances]
    assert len({bool(np.all(r[0])) for r in fast(instances)}) == 2


@pytest.mark.parametrize(
    "function",
    [*unnamed_object_models.REFUSED, *moved_list_models.REFUSED],
    ids=lambda f: f.__name__,
)
def test_lists_that_keep_another_name(function: Any) -> None:
    """Later changes would be visible under both names."""
    with pytest.raises(ab.ModelError, match="AC030"):
        model = ab.model(function)
        ab.compile(model, weights(ListsP), options=ab.Options(executor="vm"))
