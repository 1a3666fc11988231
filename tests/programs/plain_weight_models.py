"""Models whose weights are of no `@ab.params` class, as their authors would write them."""

# What the models do without is the point of them.
# mypy: ignore-errors

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor

R = np.random.default_rng(0)


def _array(*shape: int) -> np.ndarray:
    return R.normal(0, 0.5, shape)  # float64, as numpy makes them


WORDS = [[1, 2, 3], [4], [], [0, 5, 5, 2]]


# -- a dict ----------------------------------------------------------------------------------------


def in_a_dict() -> dict[str, Any]:
    return {"emb": _array(6, 4), "w": _array(4, 4), "u": _array(4, 4), "b": _array(4)}


@ab.model
def rnn(p, words):
    h = np.zeros(4)
    for i in words:
        h = np.tanh(p["emb"][i] @ p["w"] + h @ p["u"] + p["b"])
    return h


@ab.model
def with_hint(p: dict[str, np.ndarray], words: list[int]) -> np.ndarray:
    h = p["b"]
    for i in words:
        h = cell(p, p["emb"][i], h)
    return h


def cell(p: dict, x: np.ndarray, h: np.ndarray) -> np.ndarray:
    return np.tanh(x @ p["w"] + h @ p["u"] + p["b"])


@ab.model
def asked(p, words):
    bias = p["b"] if "b" in p else np.zeros(4)
    other = p.get("bias")
    h = bias if other is None else other
    for key in p:
        if key != "emb" and key != "b":
            h = h @ p[key]
    return h * len(p) + len(words), list(p.keys())


# -- dicts in lists in dicts -----------------------------------------------------------------------


def layers() -> dict[str, Any]:
    sizes = [(4, 8), (8, 3)]
    return {
        "emb": _array(6, 4),
        "layers": [
            {"w": _array(n, m), "b": _array(m), "scale": 0.5 + i, "gate": None if i else _array(m)}
            for i, (n, m) in enumerate(sizes)
        ],
        "heads": {"left": _array(3), "right": _array(3)},
        "steps": 2,
        "name": "mlp",
    }


@ab.model
def mlp(p, words):
    total = np.zeros(3)
    for i in words:
        x = p["emb"][i]
        for layer in p["layers"]:
            x = np.tanh(linear(layer, x))
        total = total + x
    for _ in range(p["steps"]):
        total = total * 0.5
    return total * p["heads"]["left"] - total * p["heads"]["right"], p["layers"][1]["b"]


def linear(layer, x):
    y = x @ layer["w"] * layer["scale"] + layer["b"]
    if layer["gate"] is not None:
        y = y * layer["gate"]
    return y


@ab.model
def by_number(p, words):
    x = p["emb"][len(words)]
    for k in range(len(p["layers"])):
        x = linear(p["layers"][k], x)
    return np.zeros(p["steps"]), x


@dataclass
class Step:
    side: str
    word: int


@ab.model
def by_key(p, steps: list[Step]):
    score = 0.0
    for s in steps:
        x = p["emb"][s.word]
        for layer in p["layers"]:
            x = linear(layer, x)
        score += float(x @ p["heads"][s.side])
    return score


STEPS = [[Step("left", 1), Step("right", 2)], [], [Step("right", 5)]]


@ab.model
def from_the_end(p, words):
    first, *others = p["layers"]
    h = first["b"]
    for layer in others[::-1]:
        h = np.tanh(h @ layer["w"]) * (1 + len(words))
    return h


@ab.model
def by_nested_key(p, keys: list[str]):
    h = np.ones(3)
    for k in keys:
        side = p["cells"][k]
        h = np.tanh(h @ side["w"] + side["b"])
    for k, v in p["cells"].items():
        if k in ("left", "other"):
            h = h + v["b"]
    return h


def cells() -> dict[str, Any]:
    return {"cells": {k: {"w": _array(3, 3), "b": _array(3)} for k in ("left", "right")}}


def of_a_state() -> dict[str, Any]:
    return {"emb.weight": _array(6, 4), "out.weight": _array(3, 4), "out.bias": _array(3)}


@ab.model
def like_a_module(state, words):
    h = np.zeros(4)
    for i in words:
        h = np.maximum(h, state["emb.weight"][i])
    return h @ state["out.weight"].T + state["out.bias"]


KEYS = [["left", "right"], [], ["right"]]


# -- lists and tuples ------------------------------------------------------------------------------


def pairs() -> list[Any]:
    return [(_array(4, 8), _array(8)), (_array(8, 3), _array(3))]


VECTORS = [np.float32(_array(4)) for _ in range(5)]


@ab.model
def jax_style(params, x: Float32[Tensor, "4"]):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


@ab.model
def unpacked(params: list, x: Float32[Tensor, "4"]):
    (w, b), (v, c) = params
    return np.maximum(x @ w + b, 0) @ v + c, len(params)


# -- objects of plain classes ----------------------------------------------------------------------


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
    cells = [Cell(_array(4, 4), _array(4, 4), _array(4)), Cell(_array(4, 4), _array(4, 4))]
    return Weights(_array(6, 4), cells, _array(4, 2))


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
        self.emb = np.float32(_array(6, n))
        self.w = np.float32(_array(n, n))
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
    return Declared(_array(6, 4), _array(4, 4))


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
    return SimpleNamespace(first=Pair(_array(4, 8), _array(8)), last=Pair(_array(8, 3), _array(3)))


@ab.model
def of_named_tuples(p, x: Float32[Tensor, "4"]):
    w, b = p.first
    return np.tanh(x @ w + b) @ p.last.w + p.last[1]


CASES = [
    (rnn, in_a_dict, WORDS, True),
    (with_hint, in_a_dict, WORDS, False),
    (asked, in_a_dict, WORDS, True),
    (mlp, layers, WORDS, True),
    (by_number, layers, WORDS, True),
    (by_key, layers, STEPS, False),
    (from_the_end, layers, WORDS, True),
    (by_nested_key, cells, KEYS, False),
    (like_a_module, of_a_state, WORDS, True),
    (jax_style, pairs, VECTORS, False),
    (unpacked, pairs, VECTORS, False),
    (stacked, of_dataclasses, WORDS, False),
    (of_a_class, lambda: Net(4), WORDS, False),
    (with_shapes, declared, WORDS, False),
    (of_named_tuples, named_tuples, VECTORS, False),
]
