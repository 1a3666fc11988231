"""Values of classes without `@ab.data` that the model makes, and hints that leave types open."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg"

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

SIZE = 8


@ab.params
class P:
    emb: Float32[Tensor, "V D"]
    out: Float32[Tensor, "D K"]


@ab.data
class Words:
    words: list[int]


@dataclass(frozen=True)
class Hypothesis:
    tokens: tuple[int, ...]
    score: float
    h: Tensor
    parts: list[int] = field(default_factory=list)
    alpha: float = 0.6

    def normalised(self, by: float = 2.0) -> float:
        return self.score / (len(self.tokens) + by) ** self.alpha

    @property
    def last(self) -> int:
        return self.tokens[-1]

    def grown(self, token, score, h) -> Hypothesis:
        return Hypothesis((*self.tokens, token), self.score + score, h, [*self.parts, token])


def best_of(beams: list[Hypothesis], k: int) -> list[Hypothesis]:
    return sorted(beams, key=lambda b: b.normalised(), reverse=True)[:k]


@ab.model
def beam_search(p: P, x: Words) -> tuple[list[int], float, Float32[Tensor, "D"]]:
    """A frozen dataclass, of which lists and functions have values."""
    beams: list[Hypothesis] = [Hypothesis((0,), 0.0, ops.zeros(SIZE))]
    done: list[Hypothesis] = []
    for w in x.words:
        candidates = []
        for hyp in beams:
            h = ops.tanh(hyp.h + p.emb[w] + p.emb[hyp.last])
            scores = ops.log_softmax(h @ p.out)
            for v in range(3):
                candidates.append(hyp.grown(v, ops.item(scores[v]), h))
        best = best_of(candidates, 2)
        beams = [b for b in best if b.last != 2]
        done.extend(b for b in best if b.last == 2)
        if not beams:
            break
    final = best_of(done + beams, 1)[0]
    final = replace(final, score=final.score * 2)
    return list(final.tokens), final.score, final.h


class Cell:
    """A class with `__init__`, a constant and methods."""

    scale = 0.5

    def __init__(self, t, c, o=None):
        shifted = t - 0.25
        self.t, self.c = shifted, c
        self.o = ops.sigmoid(c)

    def at(self, t: float):
        return self.c * math.exp(-(t - self.t)) * self.scale

    def hidden(self, t):
        return self.o * ops.tanh(self.at(t))


def update(p: P, cell: Cell, word: int, t: float) -> Cell:
    return Cell(t, cell.hidden(t) + p.emb[word])


@ab.model
def decaying(p: P, x: Words) -> Float32[Tensor, "D"]:
    cell = Cell(0.0, ops.zeros(SIZE))
    cells = [cell]
    for i, w in enumerate(x.words):
        cell = update(p, cell, w, i * 0.5)
        cells.append(cell)
    last = [c for c in cells if c.t <= 1.0][-1]
    return last.hidden(2.0) + cell.hidden(3.0)


class Entry(NamedTuple):
    score: Tensor
    back: tuple[int, int] | None


class State(NamedTuple):
    h: Tensor
    c: Tensor

    def out(self) -> Tensor:
        return self.h + self.c


@ab.model
def chart(p: P, x: Words) -> tuple[list[int], Float32[Tensor, "D"]]:
    """NamedTuples whose hints leave shapes open, and a part that may be None."""
    entries: dict[int, Entry] = {}
    state = State(ops.zeros(SIZE), ops.zeros(SIZE))
    path = []
    for i, w in enumerate(x.words):
        h = p.emb[w]
        entries[i] = Entry(ops.sum(h), None if i == 0 else (i - 1, w))
        state = State(h=ops.tanh(state.h + h), c=state.c + h)
    for i in range(len(x.words)):
        e = entries[i]
        if e.back is not None and e.back[1] > 3:
            path.append(e.back[0])
        state = state._replace(c=state.c * ops.sigmoid(e.score))
    h, c = state
    return path, state.out() + h * c


@dataclass
class Configuration:
    stack: list[int]
    buffer: list[int]

    def done(self) -> bool:
        return not self.buffer and len(self.stack) <= 1

    def shifted(self):
        return Configuration([*self.stack, self.buffer[0]], self.buffer[1:])

    def reduced(self):
        return Configuration([*self.stack[:-2], self.stack[-1]], self.buffer)


@ab.model
def parser(p: P, x: Words) -> list[int]:
    """Hints that say the types of fields, of lists that are empty at first."""
    c = Configuration(stack=[], buffer=list(range(len(x.words))))
    log = []
    while not c.done():
        top = p.emb[x.words[c.stack[-1]]] if c.stack else ops.zeros(SIZE)
        action = ops.argmax(top @ p.out)
        c = c.shifted() if c.buffer and (action == 0 or len(c.stack) < 2) else c.reduced()
        log.append(action)
    return log


def scores_of(p: P, xs: list[Tensor], scale: Any = 2.0) -> tuple[list[float], Tensor]:
    found: list[float] = [ops.item(ops.sum(x) * scale) for x in xs]
    cache: dict[int, Tensor] = {}
    for i, x in enumerate(xs):
        cache[i] = x * found[i]
    return found, cache[len(xs) - 1]


@ab.model
def without_shapes(p: P, x: Words) -> tuple[list[float], Float32[Tensor, "D"]]:
    return scores_of(p, [p.emb[w] for w in x.words])


MODELS = (beam_search, decaying, chart, parser, without_shapes)


def data() -> tuple[P, list[Words]]:
    random = np.random.default_rng(0)
    p = P(emb=random.normal(size=(9, SIZE)), out=random.normal(size=(SIZE, 3)))
    return p, [Words(random.integers(9, size=n).tolist()) for n in (1, 4, 2, 7, 3)]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_as_in_plain_python(model: Any, executor: str) -> None:
    p, instances = data()
    got = ab.compile(model, p, options=ab.Options(executor=executor))(instances)
    for result, instance in zip(got, instances, strict=True):
        expected = model(p, instance)
        several = type(expected) is tuple
        for one, other in zip(result, expected, strict=True) if several else [(result, expected)]:
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@dataclass
class Box:
    xs: list[int]
    n: int = 0


class Lazy:
    def __init__(self, n: int) -> None:
        self.n = n
        self.reset()

    def reset(self) -> None:
        self.n = 0


def _appends(x: Words) -> int:
    boxes = [Box([])]
    for box in boxes:
        box.xs.append(1)
    return len(boxes[0].xs)


def _assigns(x: Words) -> int:
    boxes = [Box([])]
    same = list(boxes)
    for box in boxes:
        box.n += 1
    return same[0].n


def _shares(x: Words) -> int:
    xs = [1]
    box = Box(xs)
    xs.append(2)
    return len(box.xs)


def _does_more(x: Words) -> int:
    return Lazy(len(x.words)).n


@pytest.mark.usefixtures("without_numbers")
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            _appends,
            "AC015: box.xs.append changes a field of a Box, whose values cannot be changed",
        ),
        (
            _assigns,
            "AC030: `list(boxes)` may give the objects in boxes, whose fields change, other",
        ),
        (_shares, "AC030: xs may be known by another name, under which it would change too"),
        (_does_more, "AC012: Lazy.__init__ does more than to set fields of self"),
    ],
)
def test_refused(function: Any, said: str) -> None:
    p, _ = data()

    @ab.model
    def model(p: P, x: Words) -> int:
        return function(x)

    with pytest.raises(ab.ModelError) as error:
        ab.compile(model, p)
    assert said in str(error.value)
