"""Models with objects in lists that methods and functions change, as in plain Python."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import itertools
import math
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
class Body:
    x: float
    v: float
    mass: float = 1.0

    def step(self, dt):
        self.x += self.v * dt

    def push(self, f):
        self.v += f / self.mass

    def kinetic(self):
        return 0.5 * self.mass * self.v * self.v


def attract(a, x, mass):
    a.push(mass * (x - a.x) / (1.0 + abs(x - a.x) ** 3))


def potential(a, b):
    return -a.mass * b.mass / (1.0 + abs(a.x - b.x))


@ab.model
def n_bodies(p: P, xs: list[int]) -> Any:
    bodies = [Body(float(x), 0.1 * i, 1.0 + i) for i, x in enumerate(xs)]
    for _ in range(3):
        for a, b in itertools.combinations(bodies, 2):
            ax = a.x
            attract(a, b.x, b.mass)
            attract(b, ax, a.mass)
        for body in bodies:
            body.step(0.1)
    energy = sum(b.kinetic() for b in bodies)
    energy += sum(potential(a, b) for a, b in itertools.combinations(bodies, 2))
    return energy, [(b.x, b.v) for b in bodies]


@ab.model
def springs(p: P, xs: list[int]) -> Any:
    beads = [Body(float(i), 0.0) for i in range(len(xs))]
    for x in xs:
        for left, right in zip(beads, beads[1:]):
            f = 0.5 * (right.x - left.x - 1.0)
            left.push(f)
            right.push(-f)
        beads[0].push(0.1 * x)
        for b in reversed(beads):
            b.step(1.0)
    return [b.x for b in beads]


class Particle:
    def __init__(self, h, weight):
        self.h = h
        self.weight = weight
        self.age = 0

    def move(self, p, x):
        self.h = ops.tanh(self.h @ p.w + p.emb[x])
        self.age += 1
        return float(self.h[0])

    def scale(self, by):
        self.weight = self.weight * by


@ab.model
def particle_filter(p: P, xs: list[int]) -> Any:
    particles = [Particle(p.b * float(i), 1.0) for i in range(3)]
    for x in xs:
        for q in particles:
            score = q.move(p, x)
            q.scale(math.exp(score))
        total = sum(q.weight for q in particles)
        for q in particles:
            q.scale(1.0 / total)
        if max(q.weight for q in particles) > 0.9:
            break
    return [q.h for q in particles], [q.weight for q in particles], particles[0].age


class Agent:
    def __init__(self, place):
        self.place = place
        self.energy = 5
        self.state = "walk"

    def act(self, x):
        if self.state == "rest":
            self.energy += 2
            if self.energy > 5:
                self.state = "walk"
            return 0
        self.place += x
        self.energy -= x
        if self.energy <= 0:
            self.energy = 0
            self.state = "rest"
        return x

    @property
    def tired(self):
        return self.energy < 2


@ab.model
def agents(p: P, xs: list[int]) -> Any:
    crowd = [Agent(x) for x in xs]
    walked = 0
    for x in xs:
        for i, agent in enumerate(crowd):
            if agent.tired and agent.state == "walk":
                agent.state = "rest"
                continue
            walked += agent.act((x + i) % 3)
    return walked, [(a.place, a.energy, a.state) for a in crowd], sum(a.tired for a in crowd)


@ab.model
def first_that_arrives(p: P, xs: list[int]) -> Any:
    crowd = [Agent(x) for x in xs]
    for x in xs:
        for agent in crowd:
            agent.act(x)
            if agent.place > 8:
                return agent.place, [a.place for a in crowd]
    return -1, [a.place for a in crowd]


class Hypothesis:
    def __init__(self, h, score):
        self.h = h
        self.score = score
        self.words = []
        self.done = False

    def extend(self, p, word):
        self.h = ops.tanh(self.h @ p.w + p.emb[word])
        self.score += float(self.h[0])
        self.words = [*self.words, word]
        self.done = len(self.words) > 3


@ab.model
def beam(p: P, xs: list[int]) -> Any:
    hyps = [Hypothesis(p.b, 0.0), Hypothesis(p.b * 2.0, -1.0), Hypothesis(p.b * 3.0, -2.0)]
    for x in xs:
        for k, hyp in enumerate(hyps):
            if not hyp.done:
                hyp.extend(p, (x + k) % 9)
        hyps.sort(key=lambda h: -h.score)
        hyps = hyps[:2]
        hyps.append(Hypothesis(p.emb[x], -3.0))
    best = max(hyps, key=lambda h: h.score)
    best.extend(p, 1)
    return best.words, best.h, [h.score for h in hyps]


@dataclass
class Frame:
    label: int
    left: int = 2
    total: int = 0

    def take(self, x):
        self.left -= 1
        self.total += x
        return self.left == 0


@ab.model
def stack_of_frames(p: P, xs: list[int]) -> Any:
    stack = [Frame(0, 9)]
    done = []
    for x in xs:
        if x % 2:
            stack.append(Frame(x))
        if stack[-1].take(x) and len(stack) > 1:
            done.append((stack[-1].label, stack[-1].total))
            stack.pop()
    return done, [(f.label, f.left, f.total) for f in stack]


class Lane:
    def __init__(self, h):
        self.h = h
        self.keys = []
        self.hits = 0

    def read(self, p, x):
        if x in self.keys:
            self.hits += 1
            return self.hits
        self.keys = [*self.keys[-1:], x]
        self.h = self.h + p.emb[x]
        return 0


@ab.model
def lanes_with_caches(p: P, xs: list[int]) -> Any:
    lanes = [Lane(p.b), Lane(p.b * 2.0)]
    hits = 0
    for i, x in enumerate(xs):
        hits += lanes[i % 2].read(p, x)
        hits += lanes[0].read(p, x % 2) * 10
    return hits, [lane.h for lane in lanes], [lane.keys for lane in lanes]


class Slot:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.used = 0

    def touch(self, t):
        self.used = t
        return self.value

    def put(self, key, value, t):
        self.key, self.value = key, value
        self.used = t


@ab.model
def lru_cache(p: P, xs: list[int]) -> Any:
    slots = [Slot(-1, p.b), Slot(-1, p.b), Slot(-1, p.b)]
    h = p.b
    misses = 0
    for t, x in enumerate(xs):
        found = -1
        for i, slot in enumerate(slots):
            if slot.key == x:
                found = i
        if found >= 0:
            h = h + slots[found].touch(t)
        else:
            oldest = min(slots, key=lambda s: s.used)
            oldest.put(x, ops.tanh(p.emb[x] @ p.w), t)
            misses += 1
    return h, misses, [(s.key, s.used) for s in slots]


MODELS = (
    n_bodies, springs, particle_filter, agents, first_that_arrives, beam, stack_of_frames,
    lanes_with_caches, lru_cache,
)  # fmt: skip
