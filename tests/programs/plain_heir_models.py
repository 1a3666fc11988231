"""Models of instances with several plain dataclasses, which inherit, change in copies, or are parts
of named tuples."""

# Models as they are written in a hurry.
# ruff: noqa: UP045
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor
from tests.programs.plain_data_models import Leaf, P


@dataclass
class Base:
    name: str
    size: int = 1

    def area(self):
        return self.size


@dataclass
class Square(Base):
    side: float = 2.0

    def area(self):
        return self.side * self.side + super().area()


@dataclass
class Empty:
    pass


@dataclass
class Scene:
    shapes: list[Base | Square | Empty]
    main: Optional[Square]
    pairs: list[tuple[str, Base]]
    weights: Float32[Tensor, "4"]


SCENES = [
    Scene([Base("a"), Square("b", 2), Empty()], None, [], np.ones(4, np.float32)),
    Scene([], Square("c", side=0.5), [("p", Base("q", 7))], np.arange(4).astype(np.float32)),
]


@ab.model
def scene(p: P, s: Scene):
    total = 0.0
    for shape in s.shapes:
        match shape:
            case Square():
                total += shape.area()
            case Base(name, size):
                total += float(size) + float(len(name))
            case Empty():
                total -= 1.0
    main = "none" if s.main is None else s.main.name
    return total, main, sum(b.size for _, b in s.pairs), s.weights * 2.0, s.main, s.shapes


@dataclass
class Task:
    left: int
    log: list[int] = field(default_factory=list)

    def step(self, n):
        self.left -= n
        self.log.append(self.left)


TASKS = [[Task(3), Task(5, [1])], [Task(1)]]


@ab.model
def objects_in_lists(p: P, tasks: list[Task]):
    mine = [Task(t.left) for t in tasks]
    for t in mine:
        t.left *= 2
    mine[0].left += tasks[-1].left
    work = Task(10, [])
    work.step(2)
    for t in tasks:
        work.step(t.left)
    return [t.left for t in mine], [t.left for t in tasks], work.log, work


class Point(NamedTuple):
    at: tuple[int, int]
    leaf: Leaf
    next: Optional[int] = None


POINTS = [[Point((1, 2), Leaf(3))], [Point((0, 0), Leaf(1), 4), Point((2, 2), Leaf(2))]]


@ab.model
def named_tuples(p: P, xs: list[Point]) -> tuple[list[Point], Point]:
    (a, b), leaf, n = xs[0]
    return [x._replace(at=(b, a)) for x in xs], Point((n or 0, leaf.word), Leaf(b))


@ab.model
def equal_objects(p: P, tasks: list[Task]):
    first, made = tasks[0], Task(1, [])
    found = [t for t in tasks if t == made]
    waiting = list(tasks)
    waiting.remove(first)
    return first == made, made != Task(1), found, made in tasks, tasks.index(first), waiting


CASES: tuple[tuple[Any, list[Any]], ...] = (
    (scene, SCENES),
    (objects_in_lists, TASKS),
    (equal_objects, TASKS),
    (named_tuples, POINTS),
)
