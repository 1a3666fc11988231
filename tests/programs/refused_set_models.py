"""Models with sets that are refused: a change would be visible under another name, or the result
depends on the order of the items."""

# Models as they are written in a hurry.
# ruff: noqa: C416, B905
# mypy: disable-error-code="no-untyped-def, no-untyped-call, func-returns-value, var-annotated"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.leaving_set_models import Agent, grow, grow_both
from tests.programs.listed_object_models import P


def same(s):
    return s


def grown(s, x):
    s.add(x)
    return s


def without(s, t):
    s -= t


@ab.model
def another_name(p: P, xs: list[int]) -> Any:
    s = set(xs)
    t = s
    grow(s, 99)
    return t


@ab.model
def returned_as_it_is(p: P, xs: list[int]) -> Any:
    s = set(xs)
    t = same(s)
    grow(s, 99)
    return t, s


@ab.model
def in_a_list(p: P, xs: list[int]) -> Any:
    s = set(xs)
    held = [s]
    grow(s, 99)
    return held


@ab.model
def changed_and_returned(p: P, xs: list[int]) -> Any:
    s = set(xs)
    t = grown(s, 99)
    t.add(100)
    return s, t


@ab.model
def changed_by_an_operator(p: P, xs: list[int]) -> Any:
    s = set(xs)
    without(s, {2})
    return s


@ab.model
def a_name_of_an_item(p: P, xs: list[int]) -> Any:
    g = [set() for _ in xs]
    a = g[0]
    a.add(5)
    return g


@ab.model
def names_in_a_loop(p: P, xs: list[int]) -> Any:
    g = [set() for _ in xs]
    for s in g:
        s.add(5)
    return g, g[0]


@ab.model
def the_same_twice(p: P, xs: list[int]) -> Any:
    g = [set(xs)] * 2
    g[0].add(55)
    return g


@ab.model
def two_values_of_a_dict(p: P, xs: list[int]) -> Any:
    s = set(xs)
    g = {1: s, 2: s}
    g[1].add(55)
    return g


@ab.model
def given_twice(p: P, xs: list[int]) -> Any:
    s = set(xs)
    n = grow_both(s, s)
    return s, n


@ab.model
def a_field_with_a_name(p: P, xs: list[int]) -> Any:
    s = set(xs)
    a = Agent(0, s)
    a.move(50)
    return s, a.seen


@ab.model
def in_an_expression(p: P, xs: list[int]) -> Any:
    s = set()
    return [x for x in xs if not (x in s or s.add(x))]


@ab.model
def listed_in_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return list(s)


@ab.model
def summed_in_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return sum(x * 0.1 for x in s)


@ab.model
def keys_in_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return dict.fromkeys(s, 0)


@ab.model
def paired_in_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return dict(zip(s, xs))


@ab.model
def shown_in_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return f"{s}"


@ab.model
def the_field_in_order(p: P, xs: list[int]) -> Any:
    a = Agent(0)
    for x in xs:
        a.move(x)
    return [x for x in a.seen]


@ab.model
def some_item(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return s.pop()


def alike(a, b):
    return a == b


@ab.model
def a_list_as_a_set(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    return alike(s, xs)


REFUSED = [
    another_name,
    returned_as_it_is,
    in_a_list,
    changed_and_returned,
    changed_by_an_operator,
    a_name_of_an_item,
    names_in_a_loop,
    the_same_twice,
    two_values_of_a_dict,
    given_twice,
    a_field_with_a_name,
    in_an_expression,
    listed_in_order,
    summed_in_order,
    keys_in_order,
    paired_in_order,
    shown_in_order,
    the_field_in_order,
    some_item,
    a_list_as_a_set,
]
