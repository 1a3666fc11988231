"""Models whose weights are of no `@ab.params` class, as their authors would write them."""

# What the models do without is the point of them.
# mypy: ignore-errors

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor

R = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray:
    return R.normal(0, 0.5, shape)  # float64, as numpy makes them


WORDS = [[1, 2, 3], [4], [], [0, 5, 5, 2]]


# -- a dict ----------------------------------------------------------------------------------------


def in_a_dict() -> dict[str, Any]:
    return {"emb": array(6, 4), "w": array(4, 4), "u": array(4, 4), "b": array(4)}


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
        "emb": array(6, 4),
        "layers": [
            {"w": array(n, m), "b": array(m), "scale": 0.5 + i, "gate": None if i else array(m)}
            for i, (n, m) in enumerate(sizes)
        ],
        "heads": {"left": array(3), "right": array(3)},
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
    return {"cells": {k: {"w": array(3, 3), "b": array(3)} for k in ("left", "right")}}


def of_a_state() -> dict[str, Any]:
    return {"emb.weight": array(6, 4), "out.weight": array(3, 4), "out.bias": array(3)}


@ab.model
def like_a_module(state, words):
    h = np.zeros(4)
    for i in words:
        h = np.maximum(h, state["emb.weight"][i])
    return h @ state["out.weight"].T + state["out.bias"]


KEYS = [["left", "right"], [], ["right"]]


# -- lists and tuples ------------------------------------------------------------------------------


def pairs() -> list[Any]:
    return [(array(4, 8), array(8)), (array(8, 3), array(3))]


VECTORS = [np.float32(array(4)) for _ in range(5)]


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


def tuples() -> dict[str, Any]:
    kinds = {"add": (array(3, 3), array(3)), "neg": (array(3, 3), array(3))}
    layers = [{"w": array(3, 3), "act": np.tanh}, {"w": array(3, 3)}]
    tags = {"a": "noun", "b": "verb"}
    return {"kinds": kinds, "layers": layers, "tags": tags, "next": [[1, 2], [0, 1], [2, 0]]}


@ab.model
def tables(p, keys: list[str]):
    h, k, name = np.ones(3), 0, ""
    for key in keys:
        w, b = p["kinds"][key]
        h = h @ w + b
        for layer in p["layers"]:
            h = h @ layer["w"]
            if "act" in layer:
                h = layer["act"](h)
        k = p["next"][k][1]
        name = name + p["tags"]["a" if key == "add" else "b"]
    return h, k, name


CASES = [
    (tables, tuples, [["add", "neg"], [], ["neg", "neg", "add"]], False),
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
]
