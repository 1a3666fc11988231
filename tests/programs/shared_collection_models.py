"""Models that change dicts and lists inside others which another name knows: all are refused."""

# Models as they are written in a hurry.
# ruff: noqa: C420
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

from collections import defaultdict
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def another_name_before(p: P, xs: list[int]) -> Any:
    row = {}
    d = {0: row}
    for x in xs:
        d[0][x] = 1
    return len(row)


@ab.model
def another_name_after(p: P, xs: list[int]) -> Any:
    d = {0: {}}
    row = d[0]
    for x in xs:
        d[0][x] = 1
    return len(row)


@ab.model
def the_same_dict_three_times(p: P, xs: list[int]) -> Any:
    d = [{}] * 3
    for x in xs:
        d[0][x] = 1
    return d


@ab.model
def the_name_of_an_item(p: P, xs: list[int]) -> Any:
    d = {0: {}, 1: {}}
    for row in d.values():
        d[0][len(row)] = 1
    return d


@ab.model
def read_with_a_default(p: P, xs: list[int]) -> Any:
    d = {0: {}, 1: {}}
    row = d.get(0, {})
    d[0][3] = 4
    return len(row)


@ab.model
def changed_in_its_own_loop(p: P, xs: list[int]) -> Any:
    d = {0: {1: 1}, 1: {}}
    for k in d[0]:
        d[0][k + 1] = 4
    return d


@ab.model
def a_view(p: P, xs: list[int]) -> Any:
    d = {0: {1: 1}, 1: {}}
    keys = d[0].keys()
    d[0][xs[0] + 5] = 4
    return list(keys)


@ab.model
def a_view_in_a_tuple(p: P, xs: list[int]) -> Any:
    d = {x: 1 for x in xs}
    both = (d.keys(), 1)
    d[50] = 1
    return list(both[0])


@ab.model
def this_or_that(p: P, xs: list[int]) -> Any:
    d = [*xs]
    e = d or [3, 4]
    d.append(4)
    return len(e)


@ab.model
def this_dict_or_that(p: P, xs: list[int]) -> Any:
    d = {0: {x: 1 for x in xs}}
    e = d.get(0) or {1: 2}
    d[0][60] = 1
    return len(e)


@ab.model
def an_unpacked_list_of_dicts(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    a, b = rows
    rows[0][xs[0] + 9] = 3
    return len(a) + len(b)


@ab.model
def a_slice_of_dicts(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    some = rows[:1]
    rows[0][xs[0] + 9] = 3
    return len(some[0])


@ab.model
def a_slice_of_lists(p: P, xs: list[int]) -> Any:
    rows = [[1], [2]]
    some = rows[::-1]
    rows[0].append(xs[0])
    return len(some[1])


@ab.model
def a_sorted_list_of_dicts(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    some = sorted(rows, key=len)
    rows[0][xs[0] + 9] = 3
    return len(some[0])


@ab.model
def a_list_with_the_same_dicts(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    kept = [r for r in rows if len(r) > 0]
    rows[0][xs[0] + 9] = 3
    return len(kept[0])


@ab.model
def the_longest(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    longest = max(rows, key=len)
    rows[0][xs[0] + 9] = 3
    return len(longest)


@ab.model
def stored_twice(p: P, xs: list[int]) -> Any:
    d = {0: {}}
    d[1] = d[0]
    d[1][xs[0]] = 1
    return d


@ab.model
def in_a_tuple(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    t = (rows[0], 1)
    rows[0][xs[0] + 9] = 3
    return len(t[0])


@ab.model
def two_names_in_a_loop(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    last = {}
    for row in rows:
        last = row
    rows[1][xs[0] + 9] = 3
    return len(last)


@ab.model
def matched(p: P, xs: list[int]) -> Any:
    rows = [{0: 1}, {1: 1}]
    n = 0
    match rows:
        case [a, _]:
            rows[0][xs[0] + 9] = 3
            n = len(a)
        case _:
            pass
    return n


@ab.model
def copied_dict_of_dicts(p: P, xs: list[int]) -> Any:
    d = {0: {1: 2}}
    e = dict(d)
    f = {**d}
    d[0][xs[0] + 9] = 3
    return len(e[0]) + len(f[0])


@ab.model
def grown_by_the_place(p: P, xs: list[int]) -> Any:
    rows = [[1], [2], [3]]
    rows[len(rows.pop()) - 1].append(5)
    return rows


@ab.model
def a_default_of_a_named_dict(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    g[0][1] += 1
    row = g[0]
    return row[5]


@ab.model
def a_default_in_a_loop(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    g[0][1] += 1
    return [row[7] for row in g.values()]


@ab.model
def a_dict_by_default_with_a_name(p: P, xs: list[int]) -> Any:
    g = defaultdict(dict)
    row = g[0]
    g[0][1] = 1
    return len(row)


@ab.model
def a_default_of_another_name(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    g[0][1] += 1
    n = 0
    for row in g.values():
        other = row
        n += other[5]
    return n


SHARED = [
    another_name_before,
    another_name_after,
    the_same_dict_three_times,
    the_name_of_an_item,
    read_with_a_default,
    changed_in_its_own_loop,
    a_view,
    a_view_in_a_tuple,
    this_or_that,
    this_dict_or_that,
    an_unpacked_list_of_dicts,
    a_slice_of_dicts,
    a_slice_of_lists,
    a_sorted_list_of_dicts,
    a_list_with_the_same_dicts,
    the_longest,
    stored_twice,
    in_a_tuple,
    two_names_in_a_loop,
    matched,
    copied_dict_of_dicts,
    grown_by_the_place,
    a_default_of_a_named_dict,
    a_default_in_a_loop,
    a_dict_by_default_with_a_name,
    a_default_of_another_name,
]
