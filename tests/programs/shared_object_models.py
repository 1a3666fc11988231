"""Models with objects in lists that change, and are known by another name, or may be."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated"

from __future__ import annotations

from typing import Any

from tests.programs.listed_object_models import P


class Item:
    def __init__(self, x):
        self.x = x
        self.n = 0
        self.log = []

    def itself(self):
        return self

    def step(self, k=1):
        self.x += k
        return self.x

    def pull(self, other):
        self.x += other.x
        self.x += other.x

    def give(self, other):
        other.x += 1

    def keep(self, y):
        self.log.append(y)

    def call(self, f):
        self.x += 1
        return f()


class Total:
    def __init__(self):
        self.total = 0


def push(a, b):
    a.x += b.n
    b.x += 1


def add_to(a, total):
    a.x += 1
    total.total += a.x
    return a.x


def another_name(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    other = items
    items[0].step()
    return other[0].x


def in_another_list(p: P, xs: list[int]) -> Any:
    items, others = [Item(x) for x in xs], []
    others.append(items[0])
    items[0].step()
    return others[0].x


def filtered_into_another(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    odd = [i for i in items if i.x % 2]
    for i in items:
        i.step()
    return [i.x for i in odd]


def named_when_put_in(p: P, xs: list[int]) -> Any:
    items = []
    item = Item(1)
    items.append(item)
    items[0].step()
    return item.x


def of_a_function(p: P, xs: list[int]) -> Any:
    items = [Item(1)]
    items = [Item(x) for x in xs] + items[:1] + items[1:]
    items[0].step()
    return items[0].x


def through_a_method(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    same = items[0].itself()
    items[0].step()
    return same.x


def sorted_meanwhile(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    first = items[0]
    items.sort(key=lambda i: i.x)
    first.step()
    return items[0].x


def popped_meanwhile(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    last = items[-1]
    items.pop(0)
    last.step()
    return last.x


def replaced_meanwhile(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    first = items[0]
    items[0] = Item(7)
    first.step()
    return first.x, items[0].x


def grows_in_its_loop(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    for item in items:
        if item.step() < 3:
            items.append(Item(3))
    return [i.x for i in items]


def after_its_loop(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    for item in items:
        item.step()
    else:
        items.reverse()
        item.step(10)
    return [i.x for i in items]


def reordered_inside(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]

    def drop():
        items.pop(0)

    first = items[0]
    drop()
    first.step()
    return [i.x for i in items]


def parameter_of_its_name(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    items[0].x = 1

    def change(items):
        items[0].x = 5

    others = [Item(3)]
    other = others[0]
    change(others)
    return other.x


def read_while_it_changes(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    return items[0].call(lambda: items[0].x)


def same_object_twice(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    for a in items:
        for b in items:
            a.pull(b)
    return [i.x for i in items]


def both_change(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    push(items[0], items[-1])
    return [i.x for i in items]


def changed_by_another(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    items[0].give(items[-1])
    return [i.x for i in items]


def list_of_an_item(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    log = items[0].log
    items[0].keep(1)
    return log


def in_a_comprehension(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    return [i.step() for i in items]


def in_a_chain(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    return 1 if 0 < items[0].step() < items[0].step() else 2


def in_a_local_function(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]

    def go(i):
        return items[i].step()

    return go(0) + go(0)


def beside_another_change(p: P, xs: list[int]) -> Any:
    items, total = [Item(x) for x in xs], Total()
    y = total.total + add_to(items[0], total) + total.total
    return y, total.total


def read_by_a_map(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    total = 0
    for x in map(lambda i: items[i].x, range(len(items))):  # noqa: C417
        items[-1].x += x
        total += x
    return total


def without_an_index(p: P, xs: list[int]) -> Any:
    items = [Item(x) for x in xs]
    max(items, key=lambda i: i.x).step()
    return [i.x for i in items]
