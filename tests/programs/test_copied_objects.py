"""Objects whose fields change, in lists, from functions, in branches."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg"

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.test_changing_objects import P, Words, data


class Beam:
    def __init__(self, h, tokens=None, score=0.0):
        self.h = h
        self.tokens = list(tokens) if tokens is not None else [0]
        self.score = score

    def copy(self):
        return Beam(self.h, self.tokens, self.score)

    def extend(self, token, logp, h):
        self.tokens.append(token)
        self.score = self.score + logp
        self.h = h

    def finished(self):
        return self.tokens[-1] == 2


def start(p, x):
    b = Beam(p.emb[0])
    for w in x.words:
        b.extend(w, 0.5, p.emb[w])
    return b


@ab.model
def beam_search(p: P, x: Words) -> tuple[list[int], float]:
    """Objects that are copied, changed, and put into a list."""
    beams = [Beam(p.emb[x.words[0]])]
    for _ in range(3):
        candidates = []
        for b in beams:
            if b.finished():
                candidates.append(b)
                continue
            h = ops.tanh(b.h + p.emb[b.tokens[-1]])
            logp = ops.log_softmax(h @ p.out)
            for k in range(3):
                new = b.copy()
                new.extend(k, ops.item(logp[k]), h)
                candidates.append(new)
        beams = sorted(candidates, key=lambda b: -b.score)[:2]
    return beams[0].tokens, beams[0].score


@ab.model
def opened(p: P, x: Words) -> tuple[list[int], float, Float32[Tensor, "D"]]:
    """An object that a function has made."""
    b = start(p, x)
    b.extend(1, 0.25, p.emb[0])
    other = copy.deepcopy(b)
    if b.finished():
        b.extend(2, 0.25, p.emb[0])
    other.extend(3, 0.5, p.emb[1])
    return b.tokens + other.tokens, b.score + other.score, other.h


class Counter:
    def __init__(self, start: int):
        self.n = start

    def next(self) -> int:
        self.n += 1
        return self.n


def counted(words: list[int]) -> Counter:
    """The object that is returned nobody changes afterwards."""
    counter = Counter(2)
    for w in words:
        if w > 3:
            counter.next()
    return counter


@ab.model
def branches(p: P, x: Words) -> tuple[int, int, int]:
    c = Counter(len(x.words))
    a = c.next() if x.words[0] > 3 else 7
    b = c.next() + c.next() * 100
    if a > 6:
        c.n = 0
    else:
        c = Counter(50)
        c.next()
    made = counted(x.words)
    return a + b, c.n, made.n


class Log:
    def __init__(self, start, items):
        self.start, self.items = start, items

    def push(self, k):
        self.items.append(k)


@ab.model
def made_by_calls(p: P, x: Words) -> tuple[int, int, list[int]]:
    """Arguments that change another object are computed once."""
    c = Counter(x.words[0])
    log = Log(c.next(), [c.next()])
    log.push(c.next())
    return c.n, log.start, log.items


MODELS = (beam_search, opened, branches, made_by_calls)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_as_in_plain_python(model: Any, executor: str) -> None:
    p, instances = data()
    got = ab.compile(model, p, options=ab.Options(executor=executor))(instances)
    for result, instance in zip(got, instances, strict=True):
        expected = model(p, instance)
        for one, other in zip(result, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
