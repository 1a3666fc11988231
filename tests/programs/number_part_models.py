"""Models with numbers inside tuples and lists that become tensors in a loop."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# ruff: noqa: RUF005

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


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


@ab.model
def beam_search(p: P, xs: list[int]) -> Any:
    beams = [([], 0.0, p.emb[xs[0]])]
    for _ in range(3):
        candidates = []
        for tokens, score, h in beams:
            logs = np.log(softmax(h @ p.w))
            for k in range(3):
                candidates.append((tokens + [k], score + logs[k], np.tanh(h + p.emb[k])))
        beams = sorted(candidates, key=lambda beam: -beam[1])[:2]
    return beams[0][0], beams[0][1], len(beams)


@ab.model
def a_state(p: P, xs: list[int]) -> Any:
    state = (0.0, 0, p.emb[0])
    for x in xs:
        total, n, h = state
        state = (total + h[0], n + 1, np.tanh(h + p.emb[x]))
    return state


@ab.model
def a_table(p: P, xs: list[int]) -> Any:
    table = [[0.0, 1.0], [2.0]]
    for x in xs:
        table = [[v + p.emb[x].sum() for v in row] for row in table]
    return table


@ab.model
def an_int_among_them(p: P, xs: list[int]) -> Any:
    best = (0, p.b)
    for x in xs:
        s = p.emb[x].sum()
        best = (s + best[0], p.emb[x]) if s > 0 else (best[0] + s * 0.0, best[1])
    return best


MODELS = (beam_search, a_state, a_table, an_int_among_them)
