"""Objects whose fields change: parsers' states, decoders, memories, written as classes."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg, assignment, return-value"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

SIZE = 8


@ab.params
class P:
    emb: Float32[Tensor, "V D"]
    w: Float32[Tensor, "2D D"]
    out: Float32[Tensor, "D K"]


@ab.data
class Words:
    words: list[int]


@dataclass
class Configuration:
    """Arc-standard: hints that say the types of fields, and a default factory."""

    stack: list[int]
    buffer: list[int]
    arcs: list[tuple[int, int]] = field(default_factory=list)
    steps: int = 0

    @property
    def done(self) -> bool:
        return not self.buffer and len(self.stack) <= 1

    def legal(self, action: int) -> bool:
        return len(self.buffer) > 0 if action == 0 else len(self.stack) >= 2

    def apply(self, action: int) -> None:
        self.steps += 1
        if action == 0:
            self.stack.append(self.buffer.pop(0))
            return
        dep = self.stack.pop(-2) if action == 1 else self.stack.pop()
        self.arcs.append((self.stack[-1], dep))

    def leftmost(self, head: int) -> int | None:
        deps = [d for h, d in self.arcs if h == head]
        return min(deps) if deps else None


def features(p: P, vecs: list[Tensor], c: Configuration) -> Tensor:
    top = vecs[c.stack[-1]] if c.stack else ops.zeros(SIZE)
    child = c.leftmost(c.stack[-1]) if c.stack else None
    return top + (vecs[child] if child is not None else ops.ones(SIZE))


@ab.model
def parser(p: P, x: Words) -> tuple[list[tuple[int, int]], int, Float32[Tensor, ""]]:
    vecs = [p.emb[w] for w in x.words]
    buffer = list(range(len(vecs)))
    c = Configuration(stack=[], buffer=buffer)
    logp = ops.zeros()
    while not c.done:
        scores = ops.log_softmax(features(p, vecs, c) @ p.out)
        best, most = -1, -float("inf")
        for a in range(3):
            if not c.legal(a):
                continue
            s = ops.item(scores[a])
            if s > most:
                best, most = a, s
        logp = logp + scores[best]
        c.apply(best)
    return c.arcs, c.steps, logp


class Stack:
    """An `__init__`, operators, and methods that return something."""

    limit = 3

    def __init__(self, zero, name="stack"):
        first = zero + 0.5
        self.items = [first]
        self.pops = 0
        self.zero = zero

    def push(self, x):
        self.items.append(x)

    def pop(self):
        self.pops += 1
        return self.items.pop() if self.items else self.zero

    def pop_two(self):
        """Calls a method of its own, twice in one expression."""
        return ops.concat(self.pop(), self.pop())

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def is_full(self) -> bool:
        return len(self) >= self.limit


def reduce(p: P, stack: Stack) -> None:
    """A function that is given an object and changes it by methods."""
    stack.push(ops.tanh(stack.pop_two() @ p.w))


@ab.model
def shift_reduce(p: P, x: Words) -> tuple[Float32[Tensor, "D"], int, int]:
    stack = Stack(ops.zeros(SIZE))
    for w in x.words:
        stack.push(p.emb[w])
        if stack.is_full() or w % 3 == 0:
            reduce(p, stack)
    while len(stack) > 1:
        reduce(p, stack)
    return stack[0], stack.pops, len(stack)


class Decoder:
    """Weights in a field, a score that grows, recursion."""

    def __init__(self, p: P, memory: Tensor):
        self.p = p
        self.memory = memory
        self.score = 0.0
        self.steps = 0
        self.log: list[tuple[int, int]] = []

    def expand(self, w: int, h: Tensor, depth: int = 0):
        self.steps += 1
        p = self.p
        h = ops.tanh(ops.concat(h, self.memory) @ p.w + p.emb[w])
        logp = ops.log_softmax(h @ p.out)
        k = ops.argmax(logp)
        self.score += logp[k]
        self.log.append((depth, k))
        if depth < 3:
            for _ in range(k):
                h = self.expand((w + 1) % 9, h, depth + 1)
        return h


@ab.model
def decoder(
    p: P, x: Words
) -> tuple[Float32[Tensor, "D"], Float32[Tensor, ""], int, list[tuple[int, int]]]:
    d = Decoder(p, ops.tanh(p.emb[x.words[0]]))
    h = d.expand(x.words[-1], d.memory * 0.5)
    return h, d.score, d.steps, d.log


@dataclass
class State:
    """Tensors that are assigned again, and a method that makes another state's values."""

    h: Tensor
    c: Tensor
    seen: dict[int, int] = field(default_factory=dict)
    last: int | None = None

    def step(self, p: P, w: int) -> bool:
        if w == self.last:
            return False
        self.c = self.c * 0.9 + ops.tanh(p.emb[w])
        self.h = ops.sigmoid(ops.concat(self.h, self.c) @ p.w)
        self.seen[w] = self.seen.get(w, 0) + 1
        self.last = w
        return True


@ab.model
def steps(p: P, x: Words) -> tuple[Float32[Tensor, "D"], int, int]:
    s = State(ops.zeros(SIZE), c=ops.ones(SIZE))
    other = State(s.c, s.h)
    taken = 0
    for i, w in enumerate(x.words):
        if s.step(p, w):
            taken += 1
        elif i % 2 == 0:
            other.step(p, w)
        other.step(p, i)
    return s.h + other.c, taken, len(s.seen) * 10 + len(other.seen)


@dataclass
class Grid:
    """Lists of lists."""

    rows: list[list[int]]
    at: list[int]
    width: int = 4

    def act(self, row: int, what: int) -> int:
        if what % 2:
            self.rows[row][self.at[row]] = what
        self.at[row] = min(self.at[row] + 1, self.width - 1)
        return self.at[row]

    def look(self) -> list[int]:
        return [row[i] for row, i in zip(self.rows, self.at, strict=False)]


@ab.model
def grid(p: P, x: Words) -> tuple[list[int], int]:
    g = Grid(rows=[[0] * 4 for _ in range(2)], at=[0, 0])
    total = 0
    for w in x.words:
        total += g.act(w % 2, w)
        while g.act(0, total) < 2:
            total += 1
    return g.look() + g.rows[0] + g.rows[1], total


MODELS = (parser, shift_reduce, decoder, steps, grid)


def data() -> tuple[P, list[Words]]:
    random = np.random.default_rng(0)
    p = P(
        emb=random.normal(size=(9, SIZE)),
        w=random.normal(size=(2 * SIZE, SIZE)),
        out=random.normal(size=(SIZE, 3)),
    )
    return p, [Words(random.integers(9, size=n).tolist()) for n in (1, 4, 2, 7, 3, 9)]


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
