"""Five networks more, written from their papers in one go before any was tried, with weights and
instances; `refused` says what the compiler has against those that it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawn import of_size
from .model import draw
from .paper import Paper
from .papers import (
    mogrifier,
    ordered_neurons,
    relational_memory,
    tree_to_tree,
    universal_transformer,
)

_RNG = np.random.default_rng(6)
H, V = 6, 20  # the hidden size, and how many words there are


def _draw(*shape: int) -> np.ndarray[Any, Any]:
    return draw(_RNG, *shape)


def _whole(low: int, high: int) -> int:
    return int(_RNG.integers(low, high))


def _words(low: int, high: int) -> list[int]:
    return [_whole(1, V) for _ in range(_whole(low, high))]


def _mogrifier() -> mogrifier.Mogrifier:
    d = 5
    return mogrifier.Mogrifier(
        embedding=_draw(V, d),
        q=[_draw(d, H) for _ in range(3)],
        r=[_draw(H, d) for _ in range(2)],
        cell=mogrifier.Cell(w_ih=_draw(4 * H, d), w_hh=_draw(4 * H, H), bias=_draw(4 * H)),
        out=_draw(V, H),
    )


def _relational_memory() -> relational_memory.Core:
    m, k, slots, wide = 8, 4, 3, 5
    heads = [
        relational_memory.Head(query=_draw(m, k), key=_draw(m, k), value=_draw(m, k))
        for _ in range(2)
    ]
    return relational_memory.Core(
        initial=_draw(slots, m),
        rank=_draw(7, m),
        project=_draw(wide, m),
        heads=heads,
        merge=_draw(2 * k, m),
        mlp=[_draw(m, m) for _ in range(2)],
        gamma=_draw(2, m),
        beta=_draw(2, m),
        w_gate=_draw(m, 2 * m),
        u_gate=_draw(m, 2 * m),
        b_gate=_draw(2 * m),
        classify=_draw(slots * m, 9),
    )


def _episode() -> relational_memory.Episode:
    return relational_memory.Episode(vectors=of_size(5, _whole(2, 6)), n=_whole(0, 7))


def _lstm(d: int) -> tree_to_tree.LSTM:
    return tree_to_tree.LSTM(wx=_draw(d, 4 * H), wh=_draw(H, 4 * H), b=_draw(4 * H))


def _tree_to_tree() -> tree_to_tree.TreeToTree:
    d = 5
    return tree_to_tree.TreeToTree(
        source=_draw(V, d),
        target=_draw(9, d),
        w_in=_draw(d, 3 * H),
        u_left=_draw(H, 3 * H),
        u_right=_draw(H, 3 * H),
        w_f=_draw(d, H),
        u_f={"left": _draw(H, H), "right": _draw(H, H)},
        left=_lstm(d),
        right=_lstm(d),
        attention=_draw(H, H),
        combine=_draw(2 * H, d),
        out=_draw(d, 9),
    )


def _source(depth: int = 0) -> tree_to_tree.Source:
    def child() -> tree_to_tree.Source | None:
        return _source(depth + 1) if depth < 3 and _RNG.random() < 0.6 else None

    return tree_to_tree.Source(token=_whole(0, V), left=child(), right=child())


def _universal_transformer() -> universal_transformer.Universal:
    n, k, f = 2, 3, 8
    return universal_transformer.Universal(
        embedding=_draw(V, H),
        position=_draw(8, H),
        time=_draw(6, H),
        block=universal_transformer.Block(
            wq=_draw(n, H, k),
            wk=_draw(n, H, k),
            wv=_draw(n, H, k),
            wo=_draw(n, k, H),
            w1=_draw(H, f),
            w2=_draw(f, H),
        ),
        halt=_draw(H) * 8,
        bias=-0.5,
        out=_draw(H, 4),
    )


def _ordered_neurons() -> ordered_neurons.OnLSTM:
    chunks = 3
    gates = 2 * chunks + 4 * H
    layers = [
        ordered_neurons.Layer(w=_draw(H, gates), u=_draw(H, gates), b=_draw(gates), chunks=chunks)
        for _ in range(2)
    ]
    return ordered_neurons.OnLSTM(embedding=_draw(V, H), layers=layers, out=_draw(H, V))


RECENT = (
    Paper("mogrifier-lstm", mogrifier.language_model, _mogrifier, lambda: _words(3, 7)),
    Paper(
        "relational-memory",
        relational_memory.farthest,
        _relational_memory,
        _episode,
    ),
    Paper(
        "tree-to-tree",
        tree_to_tree.translate,
        _tree_to_tree,
        _source,
    ),
    Paper(
        "universal-transformer",
        universal_transformer.classify,
        _universal_transformer,
        lambda: _words(1, 7),
    ),
    Paper(
        "ordered-neurons",
        ordered_neurons.parse,
        _ordered_neurons,
        lambda: _words(2, 7),
        refused="AC010: reshape to a Tensor[4, 3, 2]: operations are on tensors of rank 2",
    ),
)
