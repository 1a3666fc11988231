"""Models that unpack tuples into fields and items."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="has-type"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


class Robot:
    def __init__(self):
        self.row, self.col = 0, 0
        self.seen = [0, 0]
        self.next = None

    def move(self, target):
        self.row, self.col = target

    def see(self, x):
        n, self.seen[self.col % 2] = pair(x)
        return n


def pair(x):
    return x + 1, x * 2


def with_next(robot):
    return robot.next, robot


@ab.model
def tuples_to_fields(p: P, xs: list[int]) -> Any:
    robot, n = Robot(), 0
    for x in xs:
        robot.move(pair(x))
        n += robot.see(x)
        robot.row, robot.col = robot.col, robot.row
    robots = [Robot() for _ in xs]
    for i, r in enumerate(robots):
        r.row, r.col = pair(i)
    return n, robot.row, robot.col, robot.seen, [r.row * 10 + r.col for r in robots]


@ab.model
def tuples_to_items(p: P, xs: list[int]) -> Any:
    ys, i = [0, 0, 0], 1
    i, ys[i] = pair(1)
    ys[-1], ys[0] = pair(len(xs))
    table = np.zeros((2, 4))
    n, table[1] = 3, p.b
    return i, ys, n, table[1] * 2


@ab.model
def tuples_to_fields_of_several_names(p: P, xs: list[int]) -> Any:
    a, b = Robot(), Robot()
    c = a
    a.next = b
    c, c.next = with_next(a)
    for robot in (a, b, c):
        robot.row, robot.col = pair(robot.row + len(xs))
    return c.row, a.row, a.col, 1 if c.next is a else 0


MODELS = (tuples_to_fields, tuples_to_items, tuples_to_fields_of_several_names)
