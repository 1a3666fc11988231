"""Models that change objects in lists: with no other name for these, and with one."""

# Models as they are written in a hurry.
# ruff: noqa: B007, C416, F841, RUF005
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@dataclass
class Slot:
    key: Float32[Tensor, "H"]
    age: int = 0
    uses: int = 0


class Hyp:
    def __init__(self, h, score):
        self.h = h
        self.score = score
        self.done = False

    def value(self):
        return self.score * 2


@ab.model
def hypotheses(p: P, xs: list[int]) -> Any:
    hyps = [Hyp(p.emb[x], 0.0) for x in xs]
    for t in range(3):
        for hyp in hyps:
            if hyp.done:
                continue
            hyp.h = ops.tanh(hyp.h @ p.w)
            hyp.score += float(hyp.h[0])
            if hyp.score < -0.5:
                hyp.done = True
        if all(h.done for h in hyps):
            break
    best = max(hyps, key=lambda h: h.score)
    best.score = 7.0
    return [h.score for h in hyps], best.h, sum(h.value() for h in hyps)


@ab.model
def slots(p: P, xs: list[int]) -> Any:
    slots = []
    for i, x in enumerate(xs):
        s = Slot(p.emb[x])
        slots.append(s)
        for j, t in enumerate(slots):
            t.age += j
        slots[-1].uses += 1
        slots[0].key = slots[0].key + p.b
        slots = sorted(slots, key=lambda s: s.age, reverse=True)[:3]
        if len(slots) > 2:
            slots.pop(0)
    slots = [s for s in slots if s.uses > 0]
    slots.sort(key=lambda s: -s.age)
    return [(s.age, s.uses) for s in slots], [s.key for s in slots]


@ab.model
def last_item(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b)]
    for x in xs:
        last = slots[-1]
        last.age += x
        slots.append(Slot(p.emb[x] + last.key))
        last.uses = 3
    return [(s.age, s.uses) for s in slots], slots[-1].key


@ab.model
def item_with_a_name(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b)]
    other = slots[0]
    ys = [s for s in slots]
    slots[0].age = 5
    return ys[0].age


@ab.model
def object_with_a_name(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b)]
    o = Slot(p.b)
    slots.append(o)
    slots[1].age = 5
    return o.age


@ab.model
def sorted_into_another(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b)]
    ys = sorted(slots, key=lambda s: s.age)
    for s in slots:
        s.age += 1
    return ys[0].age


@ab.model
def reversed_meanwhile(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b), Slot(p.b)]
    best = slots[0]
    slots.reverse()
    best.age = 4
    return slots[0].age


@ab.model
def twice_the_same(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b)] * 2
    slots[0].age = 4
    return slots[1].age


@ab.model
def tensor_in_place(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b + 1.0)]
    k = slots[0].key
    for s in slots:
        s.key += p.b
    return k


@ab.model
def two_names(p: P, xs: list[int]) -> Any:
    a = [Slot(p.b)]
    b = a
    b[0].age = 3
    return a[0].age


@ab.model
def shorter_meanwhile(p: P, xs: list[int]) -> Any:
    slots = [Slot(p.b), Slot(p.b)]
    for s in slots:
        slots = slots[1:]
        s.age += 1
    return [s.age for s in slots]


class Aged:
    def __init__(self, age):
        self.age = age

    def itself(self):
        return self

    def older(self):
        return self.age + 1

    def twice(self):
        return self.older() * 2

    def tick(self):
        self.age += 1


@ab.model
def item_through_a_method(p: P, xs: list[int]) -> Any:
    items = [Aged(1), Aged(2)]
    x = items[0].itself()
    items[0].age = 5
    return x.age


@ab.model
def known_before_it_is_put_in(p: P, xs: list[int]) -> Any:
    items = []
    item = Aged(1)
    kept = item.itself()
    items.append(item)
    items[0].age = 9
    return kept.age


@ab.model
def each_item_twice(p: P, xs: list[int]) -> Any:
    items = [Aged(1), Aged(2)]
    items = [*items, *items]
    items[0].age = 5
    return items[2].age


@ab.model
def changed_by_a_method(p: P, xs: list[int]) -> Any:
    items = [Aged(1), Aged(2)]
    items[0].age = 5
    for item in items:
        item.tick()
    return items[0].age


@ab.model
def returned_inside(p: P, xs: list[int]) -> Any:
    items = [Aged(1), Aged(2)]

    def whole():
        return items

    other = whole()
    items[0].age = 5
    return other[0].age


@ab.model
def key_with_other_names(p: P, xs: list[int]) -> Any:
    items = [Aged(x) for x in xs]
    at = 3
    best = max(items, key=lambda item: (item.age * at) % 7)
    best.age = 50
    low = min(items, key=lambda item: abs(item.age - best.age))
    low.age += 1
    return [item.age for item in items]


@ab.model
def several_loops(p: P, xs: list[int]) -> Any:
    items = [Aged(1), Aged(2)]
    for item in items:
        item.age += 1
    for item in items:
        item.age *= 2
    items = items + [Aged(3)]
    items = [Aged(0), *items]
    for i, item in enumerate(items):
        item.age += i
    return [item.twice() for item in items], items[-1].older()


ALONE = (changed_by_a_method, key_with_other_names, several_loops, hypotheses, slots, last_item)
SHARED = (
    known_before_it_is_put_in,
    each_item_twice,
    item_through_a_method,
    returned_inside,
    item_with_a_name,
    object_with_a_name,
    sorted_into_another,
    reversed_meanwhile,
    twice_the_same,
    tensor_in_place,
    two_names,
    shorter_meanwhile,
)
