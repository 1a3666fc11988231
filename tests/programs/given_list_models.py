"""Models that pass a list of objects, whose fields change, to functions."""

# Models as they are written in a hurry.
# ruff: noqa: B905, E731
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Body:
    def __init__(self, x, m):
        self.x = x
        self.m = m
        self.log = []


def energy(bodies):
    return sum(b.m * b.x for b in bodies)


def forces(p, bodies):
    out = []
    for i, a in enumerate(bodies):
        f = 0.0
        for b in bodies[i + 1 :]:
            f += (b.x - a.x) * b.m
        out.append(f + energy(bodies) * 0.01 * len(bodies))
    return out


def best_of(bodies):
    best = bodies[0]
    for b in bodies:
        if b.x > best.x:
            best = b
    return best


def logs(bodies):
    return [b.log for b in bodies]


def push(bodies):
    for b in bodies:
        b.x += 1.0


def keep(bodies):
    return bodies


def pairs(bodies, fs):
    return sum(b.x * f for b, f in zip(bodies, fs))


@ab.model
def read_by_helpers(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 1.0 + x) for x in xs]
    for _ in range(3):
        for b, f in zip(bodies, forces(p, bodies)):
            b.x += 0.1 * f
        bodies[0].m += energy(bodies)
    return energy(bodies), [b.x for b in bodies], pairs(bodies, [b.m for b in bodies])


@ab.model
def an_object_returned(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 1.0 + x) for x in xs]
    b = best_of(bodies)
    bodies[0].x += 100.0
    return b.x


@ab.model
def changed_by_a_helper(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 1.0 + x) for x in xs]
    push(bodies)
    bodies[0].x += 1.0
    return [b.x for b in bodies]


@ab.model
def the_list_returned(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 1.0 + x) for x in xs]
    others = keep(bodies)
    bodies[0].x += 1.0
    return [b.x for b in others]


@ab.model
def read_later(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 1.0 + x) for x in xs]
    f = lambda: energy(bodies)
    bodies[0].x += 1.0
    return f()


MODELS = [read_by_helpers]
REFUSED = {
    an_object_returned: "best_of(bodies)",
    changed_by_a_helper: "push(bodies)",
    the_list_returned: "keep(bodies)",
    read_later: "energy(bodies)",
}
