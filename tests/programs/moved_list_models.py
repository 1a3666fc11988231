"""Models that give a list which they have made to another name, and do not use the old one again:
`self.cells = new`, `previous = current`."""

# Models as they are written in a hurry.
# ruff: noqa: E731
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


class Life:
    def __init__(self, n):
        self.n = n
        self.cells = [[0] * n for _ in range(n)]

    def set(self, i, j):
        self.cells[i][j] = 1

    def step(self):
        new = [[0] * self.n for _ in range(self.n)]
        for i in range(self.n):
            for j in range(self.n):
                k = 0
                for a in (-1, 0, 1):
                    for b in (-1, 0, 1):
                        if (a or b) and 0 <= i + a < self.n and 0 <= j + b < self.n:
                            k += self.cells[i + a][j + b]
                new[i][j] = 1 if k == 3 or (k == 2 and self.cells[i][j]) else 0
        self.cells = new


@ab.model
def game_of_life(p: P, xs: list[int]) -> Any:
    life = Life(4)
    for i, x in enumerate(xs):
        life.set(i % 4, x % 4)
    life.step()
    life.set(1, 1)
    life.step()
    return life.cells


@ab.model
def previous_and_current(p: P, xs: list[int]) -> list[int]:
    previous = [0]
    for x in xs:
        current = [x]
        for y in previous:
            current.append(x + y)
        previous = current
        previous[0] += 1
    previous.append(1)
    return previous


@ab.model
def exchanged(p: P, xs: list[int]) -> Any:
    a, b = [0, 0], [1]
    while len(b) < len(xs) + 2:
        c = [*b, len(a)]
        a = b
        b = c
        b.append(9)
    return a, b


@ab.model
def on_one_path(p: P, xs: list[int]) -> Any:
    a, b = [0], [1]
    for x in xs:
        c = [x]
        if x % 2:
            a = c
        else:
            b = c
    a.append(9)
    b.append(8)
    return a, b


@ab.model
def dict_and_table(p: P, xs: list[int]) -> Any:
    counts = {}
    table = [[0] * 2 for _ in range(2)]
    for x in xs:
        more = {**counts, x: 1}
        counts = more
        counts[x + 1] = 2
        new = [[c + x for c in row] for row in table]
        table = new
        table[x % 2][0] += 1
    return counts, table


MODELS = (game_of_life, previous_and_current, exchanged, on_one_path, dict_and_table)


def still_used(p: P, xs: list[int]) -> Any:
    a = [1]
    b = a
    b.append(2)
    return a


def iterator(p: P, xs: list[int]) -> Any:
    a = [1, 2]
    it = iter(a)
    b = a
    b.append(3)
    return list(it)


def generator(p: P, xs: list[int]) -> Any:
    a = [1, 2]
    it = (y * 2 for y in a)
    b = a
    b.append(3)
    return list(it)


def view(p: P, xs: list[int]) -> Any:
    a = {1: 2}
    values = a.values()
    b = a
    b[3] = 3
    return list(values)


def function_inside(p: P, xs: list[int]) -> Any:
    a = [1]
    f = lambda: a
    b = a
    b.append(3)
    return f()


def inner_list(p: P, xs: list[int]) -> Any:
    a = [[1], [2]]
    row = a[0]
    b = a
    b[0].append(3)
    return row


def in_each_iteration(p: P, xs: list[int]) -> Any:
    a = [1]
    b = [0]
    for x in xs:
        b = a
        b.append(x)
    return b


def in_a_tuple(p: P, xs: list[int]) -> Any:
    a = [1]
    t = (a, 2)
    b = a
    b.append(3)
    return t


REFUSED = (
    still_used,
    iterator,
    generator,
    view,
    function_inside,
    inner_list,
    in_each_iteration,
    in_a_tuple,
)
