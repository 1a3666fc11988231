"""Models that read objects of the module: settings, vocabularies."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, type-arg"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@dataclass(frozen=True)
class Schedule:
    steps: int = 3
    threshold: float = 0.5


@dataclass
class Settings:
    size: int = 4
    name: str = "x"
    scales: tuple = (1.0, 2.0)
    table: dict = field(default_factory=lambda: {"a": 1})
    schedule: Schedule = field(default_factory=Schedule)


class Vocabulary:
    def __init__(self, words):
        self.words = words
        self.index = {w: i for i, w in enumerate(words)}

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return self.words[i]

    def lookup(self, word):
        return self.index.get(word, 0)


class Counted:
    def __init__(self):
        self.n, self.seen = 0, []

    def tick(self):
        self.n += 1
        return self.n

    def note(self, x):
        self.seen.append(x)

    def beyond(self, x):
        return x + self.n


SCHEDULE, SETTINGS, COUNTED = Schedule(), Settings(), Counted()
SCHEDULES = [Schedule(1, 0.5), Schedule(2, 0.1)]
WORDS = Vocabulary(["<unk>", "a", "b"])


def run(h, schedule: Schedule):
    t = 0
    while t < schedule.steps and h[0] < schedule.threshold:
        h, t = np.tanh(h + 1.0), t + 1
    return h, t


def scaled(settings, x):
    extra = settings.table["a"] + (1 if settings.name == "x" else 0)
    return x * settings.scales[0] + settings.size + extra + np.zeros(settings.size)


@ab.model
def passed_on(p: P, xs: list[int]) -> Any:
    h, t = run(p.emb[xs[0]], SCHEDULE)
    g, s = run(h, SETTINGS.schedule)
    return h, t, g, s, scaled(SETTINGS, p.b)


@ab.model
def with_methods(p: P, xs: list[int]) -> Any:
    words = WORDS
    named = [WORDS[x % len(WORDS)] for x in xs]
    return WORDS.lookup("b"), words.lookup("z"), named, words.index["a"], COUNTED.beyond(p.b)


@ab.model
def in_a_list(p: P, xs: list[int]) -> Any:
    return [s.steps for s in SCHEDULES], SCHEDULES[xs[0] % 2].threshold


MODELS = (passed_on, with_methods, in_a_list)


@ab.model
def changed_by_a_method(p: P, xs: list[int]) -> Any:
    return COUNTED.tick()


@ab.model
def noted_by_a_method(p: P, xs: list[int]) -> Any:
    COUNTED.note(3)
    return xs


@ab.model
def changed_under_a_name(p: P, xs: list[int]) -> Any:
    counted = COUNTED
    counted.n += 1
    return counted.n


@ab.model
def changed_itself(p: P, xs: list[int]) -> Any:
    SETTINGS.size += 1
    COUNTED.seen.append(3)
    return SETTINGS.size


REFUSED = (changed_by_a_method, noted_by_a_method, changed_under_a_name, changed_itself)
