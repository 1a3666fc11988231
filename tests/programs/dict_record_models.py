"""Models whose dicts are records: each key, written out, has a value of its own type."""

# Models as they are written in a hurry.
# ruff: noqa: C408, E731, SIM401
# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def records_of_variables(p: P, xs: list[int]) -> Any:
    state = {"h": p.b, "n": 0, "stack": [], "last": None}
    for x in xs:
        state["h"] = np.tanh(state["h"] @ p.w + p.emb[x])
        state["stack"].append(x)
        if len(state["stack"]) > 2 and "stack" in state:
            state["stack"].pop()
        if "zz" in state or "h" not in state:
            state["n"] += 100
        state["last"], state["n"] = 1, state["n"] + 1
        state["stack"][0] += 2
    last = state["last"]
    return state["h"], state["n"], state["stack"], last is None


@ab.model
def records_made_anew(p: P, xs: list[int]) -> Any:
    s = dict(h=p.b, n=1, log=[])
    for x in xs:
        s = {"n": s["n"] + x, "h": s["h"] * s["n"], "log": [*s["log"], s["n"]]}
        s["log"].append(s["n"])
    best: dict[str, Any] = {"score": -1e9, "at": -1, "h": p.b}
    for i, x in enumerate(xs):
        if p.emb[x].sum() > best["score"]:
            best = {"score": p.emb[x].sum(), "at": i, "h": p.emb[x]}
    return s["h"], s["n"], s["log"], best["at"], best["h"]


@ab.model
def keys_stored_later(p: P, xs: list[int]) -> Any:
    state = {}
    state["h"] = p.b
    state["n"] = 0
    for x in xs:
        state["h"] = np.tanh(state["h"] @ p.w + p.emb[x])
        state["n"] += 1
    return state["h"], state["n"], "k" in state


@ab.model
def records_in_local_functions(p: P, xs: list[int]) -> Any:
    s = {"h": p.b, "n": 0, "found": []}

    def step(x):
        def more():
            s["n"] += 1
            s["h"] = s["h"] * 2

        s["n"] += x
        s["found"].append(x + s["n"])
        more()
        return s["n"]

    def other():
        s = {"h": 1, "n": "x"}

        def inner(y):
            s["h"] += y

        inner(2)
        return s["h"], s["n"]

    total = 0
    for x in xs:
        total += step(x)
    f = lambda k: k * s["n"]
    return s["h"], s["n"], total, s["found"], other(), [s["n"] * x for x in xs], f(2)


@ab.model
def keys_that_may_be_missing(p: P, xs: list[int]) -> Any:
    d, e = {"a": 0}, {"a": 1}
    if len(xs) > 2:
        d["k"] = 1
    e["a" if xs[0] > 2 else "b"] = 7
    return d["k"] if "k" in d else 3, e


@ab.model
def values_with_another_name(p: P, xs: list[int]) -> Any:
    s = {"h": p.b, "n": []}
    t = s["n"]
    t.append(1)
    return s["n"], s["h"]


@ab.model
def one_list_under_two_keys(p: P, xs: list[int]) -> Any:
    ys = list(xs)
    s = {"h": p.b, "n": ys, "m": ys}
    s["n"].append(1)
    return s["m"], s["h"], ys


@ab.model
def records_with_two_names(p: P, xs: list[int]) -> Any:
    s = {"h": p.b, "n": 0}
    t = s
    s["n"] += 1
    return t["n"], s["h"]


REFUSED = [values_with_another_name, one_list_under_two_keys, records_with_two_names]
MODELS = [
    records_of_variables,
    records_made_anew,
    keys_stored_later,
    records_in_local_functions,
    keys_that_may_be_missing,
]
