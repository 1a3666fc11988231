"""Three networks more, written from their papers in one go before any was tried, with weights and
instances; `refused` says what the compiler has against those that it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np

from .model import draw
from .paper import Paper
from .papers import biaffine, coreference, doubly_recurrent

_RNG = np.random.default_rng(16)
H, V = 6, 20  # the hidden size, and how many words there are


def _draw(*shape: int) -> np.ndarray[Any, Any]:
    return draw(_RNG, *shape)


def _whole(low: int, high: int) -> int:
    return int(_RNG.integers(low, high))


def _words(low: int, high: int) -> list[int]:
    return [_whole(0, V) for _ in range(_whole(low, high))]


def _biaffine() -> biaffine.Parser:
    e, a, r, labels = 3, 5, 4, 3

    def lstm(d: int) -> biaffine.LSTM:
        return biaffine.LSTM(w=_draw(d + H, 4 * H), b=_draw(4 * H))

    return biaffine.Parser(
        words=_draw(V, e),
        tags=_draw(7, e),
        root=_draw(2 * e),
        layers=[(lstm(2 * e), lstm(2 * e)), (lstm(2 * H), lstm(2 * H))],
        arc_head=_draw(2 * H, a),
        arc_dep=_draw(2 * H, a),
        rel_head=_draw(2 * H, r),
        rel_dep=_draw(2 * H, r),
        arc=_draw(a + 1, a) * 4,
        rel=_draw(labels, r + 1, r + 1),
    )


def _tokens() -> list[biaffine.Token]:
    n = _whole(2, 7)
    return [
        biaffine.Token(_whole(0, V), _whole(0, 7), head=_whole(0, n + 1), rel=_whole(0, 3))
        for _ in range(n)
    ]


def _doubly_recurrent() -> doubly_recurrent.DRNN:
    e, v = 5, 8

    def gru() -> doubly_recurrent.GRU:
        return doubly_recurrent.GRU(w=_draw(e, 3 * H), u=_draw(H, 3 * H))

    return doubly_recurrent.DRNN(
        embed=_draw(V, e),
        encoder=gru(),
        ancestral=gru(),
        fraternal=gru(),
        u_a=_draw(H, H),
        u_f=_draw(H, H),
        out=_draw(H, V) * 4,
        v_a=_draw(V),
        v_f=_draw(V),
        depth=_draw(H) * v,
        width=_draw(H) * v,
    )


def _coreference() -> coreference.Coref:
    e, f, m, bins = 4, 3, 7, 6
    span = 4 * H + e + f

    def ffnn(i: int) -> coreference.FFNN:
        return coreference.FFNN(w1=_draw(i, m), b1=_draw(m), w2=_draw(m) * 3)

    return coreference.Coref(
        embed=_draw(V, e),
        forward=_draw(e + H, H),
        backward=_draw(e + H, H),
        attend=_draw(2 * H),
        width=_draw(coreference.MAX_WIDTH, f),
        distance=_draw(bins, f),
        speaker={False: _draw(f), True: _draw(f)},
        mention=ffnn(span),
        pair=ffnn(3 * span + 2 * f),
    )


def _document() -> coreference.Document:
    n = _whole(1, 4)
    return coreference.Document([_words(1, 6) for _ in range(n)], [_whole(0, 2) for _ in range(n)])


FURTHER = (
    Paper(
        "biaffine parser",
        biaffine.parse,
        _biaffine,
        _tokens,
    ),
    Paper(
        "doubly recurrent decoder",
        doubly_recurrent.decode,
        _doubly_recurrent,
        lambda: _words(1, 6),
    ),
    Paper(
        "coreference resolution",
        coreference.resolve,
        _coreference,
        _document,
        refused="Coref.speaker: a weight is declared as Float32[Tensor, ...]",
    ),
)
