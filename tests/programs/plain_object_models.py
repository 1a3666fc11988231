"""Models whose weights are objects of plain classes, as their authors would write them."""

# mypy: ignore-errors

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor
from tests.programs.plain_weight_models import VECTORS, WORDS, R, array


@dataclass
class Cell:
    w: np.ndarray
    u: np.ndarray
    b: np.ndarray | None = None

    def __call__(self, x, h):
        y = x @ self.w + h @ self.u
        return np.tanh(y if self.b is None else y + self.b)


@dataclass
class Weights:
    emb: np.ndarray
    cells: list[Cell]
    out: np.ndarray
    hidden: int = 4
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.hidden

    def embed(self, i: int) -> np.ndarray:
        return self.emb[i]


def of_dataclasses() -> Weights:
    cells = [Cell(array(4, 4), array(4, 4), array(4)), Cell(array(4, 4), array(4, 4))]
    return Weights(array(6, 4), cells, array(4, 2))


@ab.model
def stacked(p: Weights, words: list[int]) -> np.ndarray:
    states = [np.zeros(p.hidden) for _ in p.cells]
    for i in words:
        x = p.embed(i)
        for k, c in enumerate(p.cells):
            states[k] = step(c, x, states[k])
            x = states[k]
    return states[-1] @ p.out


def step(c: Cell, x: np.ndarray, h: np.ndarray) -> np.ndarray:
    return c(x, h)


class Net:
    def __init__(self, n: int) -> None:
        self.emb = np.float32(array(6, n))
        self.w = np.float32(array(n, n))
        self.n = n
        self.rng = R

    def forward(self, words):
        h = np.zeros(self.n)
        for i in words:
            h = np.tanh((self.emb[i] + h) @ self.w)
        return h


@ab.model
def of_a_class(net: Net, words: list[int]):
    return net.forward(words)


@dataclass(frozen=True)
class Declared:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]


def declared() -> Declared:
    return Declared(array(6, 4), array(4, 4))


@ab.model
def with_shapes(p: Declared, words: list[int]) -> Float32[Tensor, "H"]:
    h = np.zeros(4)
    for i in words:
        h = mixed(p, p.emb[i], h)
    return h


@ab.model
def mixed(p: Declared, x: Float32[Tensor, "H"], h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return ab.ops.tanh((x + h) @ p.w)


class Pair(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def named_tuples() -> SimpleNamespace:
    return SimpleNamespace(first=Pair(array(4, 8), array(8)), last=Pair(array(8, 3), array(3)))


@ab.model
def of_named_tuples(p, x: Float32[Tensor, "4"]):
    w, b = p.first
    return np.tanh(x @ w + b) @ p.last.w + p.last[1]


CASES = [
    (stacked, of_dataclasses, WORDS, False),
    (of_a_class, lambda: Net(4), WORDS, False),
    (with_shapes, declared, WORDS, False),
    (of_named_tuples, named_tuples, VECTORS, False),
]
