"""Models with dicts whose values have several types: results with names, rows, states."""

# Models as they are written in a hurry.
# ruff: noqa: C408
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, dict-item"
# mypy: disable-error-code="operator, union-attr"

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


def described(p, x):
    h = np.tanh(p.emb[x] @ p.w)
    return {"id": x, "vector": h, "norm": float(np.linalg.norm(h)), "tag": f"w{x}"}


@ab.model
def results_with_names(p: P, xs: list[int]) -> Any:
    h = sum(p.emb[x] for x in xs)
    e = np.exp(h - h.max())
    probabilities = e / e.sum()
    prediction = int(probabilities.argmax())
    return {
        "loss": -np.log(probabilities[xs[0] % 4]),
        "prediction": prediction,
        "correct": prediction == xs[0] % 4,
        "words": [x + 1 for x in xs],
        "deep": {"n": 1, "half": 0.5, "name": "x", "none": None if len(xs) > 1 else 3},
    }


@ab.model
def rows_of_a_table(p: P, xs: list[int]) -> Any:
    rows = [described(p, x) for x in xs]
    best = max(rows, key=lambda row: row["norm"])
    tags = [row["tag"] for row in sorted(rows, key=lambda row: (-row["id"], row["tag"]))]
    total = sum(row["vector"] * row["id"] for row in rows)
    return rows, best, tags, total, "id" in best, "x" not in best, len(best), best.get("norm")


@ab.model
def a_state(p: P, xs: list[int]) -> Any:
    s = {"h": p.b, "n": 0}
    for x in xs:
        s = {"h": np.tanh(s["h"] + p.emb[x]), "n": s["n"] + 1}
    other = s if len(xs) > 2 else {"h": p.emb[1], "n": 7}
    return s, other["h"] * other["n"], list(s), list(s.keys())


@ab.model
def filled_step_by_step(p: P, xs: list[int]) -> Any:
    out = {"h": p.emb[xs[0]], "n": len(xs)}
    for x in xs:
        out["h"] = np.tanh(out["h"] + p.emb[x])
        out["n"] += x
    out["mean"] = out["n"] / len(xs)
    return out


@ab.model
def merged(p: P, xs: list[int]) -> Any:
    first = dict(h=p.b, n=len(xs))
    second = {**first, "n": 0.5, "name": "merged"}
    by_word = {x: described(p, x) for x in xs}
    return first, second, by_word, [d["norm"] for d in by_word.values()]


@ab.model
def returned_on_some_paths(p: P, xs: list[int]) -> Any:
    if len(xs) == 1:
        return {"h": p.emb[xs[0]], "ok": False, "why": "short"}
    state = {"h": p.b, "ok": True, "why": ""}
    for x in xs:
        if x == 6:
            state["why"] = "six"
            return state
        state["h"] = state["h"] * 0.5 + p.emb[x]
    return state


MODELS = (
    results_with_names, rows_of_a_table, a_state, filled_step_by_step, merged,
    returned_on_some_paths,
)  # fmt: skip


@ab.model
def stored_after_it_got_a_name(p: P, xs: list[int]) -> Any:
    rows = [{"id": x, "vector": p.emb[x]} for x in xs]
    rows[0]["id"] = 3
    return rows


@ab.model
def key_of_the_instance(p: P, xs: list[int]) -> Any:
    d = {"h": p.b, "n": len(xs)}
    names = ["h" if x > 2 else "n" for x in xs]
    return d[names[0]]


@ab.model
def returned_before_it_is_complete(p: P, xs: list[int]) -> Any:
    out = {"h": p.b, "n": len(xs)}
    if len(xs) > 2:
        return out
    out["more"] = "x"
    return out


@ab.model
def other_keys_on_another_path(p: P, xs: list[int]) -> Any:
    return {"h": p.b, "n": 1} if len(xs) > 2 else {"h": p.b, "m": 1}


# Each with a part of its error.
REFUSED = (
    (stored_after_it_got_a_name, "AC0"),
    (key_of_the_instance, "which value of d it is, is not known when the model is compiled"),
    (returned_before_it_is_complete, "AC015"),
    (other_keys_on_another_path, "AC0"),
)
