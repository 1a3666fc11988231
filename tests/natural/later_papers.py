"""Ten networks more, written from their papers without a look at the language's page, with weights
and instances; `refused` says what the compiler has against those that it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawn import of_size
from .model import draw
from .paper import Paper
from .papers import (
    capsules,
    entity_network,
    graphsage,
    interaction,
    memory_network,
    pondernet,
    stack_lstm,
    state_tracker,
    tagger,
    tree_attention,
)

_RNG = np.random.default_rng(5)
H, V = 6, 20  # the hidden size, and how many words there are


def _draw(*shape: int) -> np.ndarray[Any, Any]:
    return draw(_RNG, *shape)


def _whole(low: int, high: int) -> int:
    return int(_RNG.integers(low, high))


def _words(low: int, high: int, most: int = V) -> list[int]:
    return [_whole(0, most) for _ in range(_whole(low, high))]


def _sentences(low: int, high: int) -> list[list[int]]:
    return [_words(1, 5) for _ in range(_whole(low, high))]


def _memory_network() -> memory_network.MemN2N:
    tables: list[Any] = [_draw(V, H) for _ in range(4)]
    return memory_network.MemN2N(embeddings=tables, temporal=_draw(20, H), out=_draw(H, V))


def _pondernet() -> pondernet.PonderNet:
    cell = pondernet.GRUCell(w=_draw(4, 3 * H), u=_draw(H, 3 * H), b=_draw(3 * H))
    return pondernet.PonderNet(cell=cell, halt=_draw(H, 1), out=_draw(H, 1))


def _capsules() -> capsules.Capsules:
    return capsules.Capsules(parts=_draw(5, 4), transform=[_draw(4, H) for _ in range(3)])


def _tracker() -> state_tracker.Tracker:
    return state_tracker.Tracker(
        emb=_draw(V, H), slots=_draw(3, H), values=_draw(10, H), w=_draw(2 * H, H), b=_draw(H)
    )


def _dialogue() -> list[state_tracker.Turn]:
    spoken = [None, [], [1, 2]]
    return [state_tracker.Turn(_words(0, 4), spoken[_whole(0, 3)]) for _ in range(_whole(0, 5))]


def _tree_attention() -> tree_attention.TreeTransformer:
    def head() -> tree_attention.Attention:
        return tree_attention.Attention(q=_draw(H, H), k=_draw(H, H), v=_draw(H, H))

    return tree_attention.TreeTransformer(
        emb=_draw(V, H),
        unknown=_draw(H),
        heads=[head(), head()],
        w_o=_draw(2 * H, H),
        norm=(_draw(H), _draw(H)),
        up=_draw(H, 2 * H),
        down=_draw(2 * H, H),
    )


def _tree(depth: int) -> tree_attention.Tree:
    below = [_tree(depth - 1) for _ in range(_whole(0, 4))] if depth else []
    return tree_attention.Tree(below, _whole(0, V) if _whole(0, 3) else None)


def _graphsage() -> graphsage.SAGE:
    sizes = [(5, 7), (7, 6)]
    layers = [graphsage.Layer(pool=_draw(i, i), w=_draw(2 * i, o)) for i, o in sizes]
    return graphsage.SAGE(layers=layers, out=_draw(6, 3))


def _graph() -> graphsage.Graph:
    n = _whole(1, 6)
    edges = [(_whole(0, n), _whole(0, n)) for _ in range(_whole(0, 8))]
    return graphsage.Graph(of_size(5, n), edges)


def _stack_lstm() -> stack_lstm.Parser:
    return stack_lstm.Parser(
        emb=_draw(V, H),
        lstm=_draw(2 * H, 4 * H),
        bias=_draw(4 * H),
        compose=_draw(2 * H, H),
        relation=_draw(2, H),
        act=_draw(2 * H, 3),
        empty=_draw(H),
    )


def _interaction() -> interaction.InteractionNetwork:
    def mlp(i: int, o: int) -> interaction.MLP:
        return interaction.MLP(w1=_draw(i, H), b1=_draw(H), w2=_draw(H, o))

    return interaction.InteractionNetwork(relation=mlp(8, 3), object=mlp(7, 4))


def _scene() -> interaction.Scene:
    n = _whole(1, 5)
    place = _RNG.uniform(-1, 1, (n, 2)).tolist()
    bodies = [interaction.Body((x, y), mass=1.0 + i) for i, (x, y) in enumerate(place)]
    springs = [(_whole(0, n), _whole(0, n), 0.5) for _ in range(_whole(0, 5))]
    return interaction.Scene(bodies, springs, _whole(0, 4))


def _entity_network() -> entity_network.EntNet:
    square = {name: _draw(H, H) for name in "uvwh"}
    return entity_network.EntNet(
        emb=_draw(V, H), mask=_draw(10, H), keys=_draw(4, H), r=_draw(H, V), **square
    )


def _tagger() -> tagger.Tagger:
    def lstm(i: int, h: int) -> tagger.LSTM:
        return tagger.LSTM(w=_draw(i, 4 * h), u=_draw(h, 4 * h), b=_draw(4 * h))

    return tagger.Tagger(
        words=_draw(V, 5),
        chars=_draw(9, 3),
        char_forward=lstm(3, 2),
        char_backward=lstm(3, 2),
        forward=lstm(9, H),
        backward=lstm(9, H),
        out=_draw(12, 4),
        transitions=_draw(5, 4),
    )


def _sentence() -> list[tagger.Word]:
    return [tagger.Word(_whole(0, V), _words(1, 5, 9)) for _ in range(_whole(1, 6))]


LATER = (
    Paper(
        "memory network",
        memory_network.answer,
        _memory_network,
        lambda: memory_network.Story(_sentences(0, 5), _words(1, 5)),
    ),
    Paper("PonderNet", pondernet.ponder, _pondernet, lambda: _draw(4).astype(np.float32)),
    Paper(
        "capsule routing",
        capsules.route,
        _capsules,
        lambda: [(_whole(0, 5), float(_whole(1, 4))) for _ in range(_whole(1, 5))],
    ),
    Paper("dialogue state tracker", state_tracker.track, _tracker, _dialogue),
    Paper("tree transformer", tree_attention.depths, _tree_attention, lambda: _tree(2)),
    Paper(
        "GraphSAGE",
        graphsage.classify,
        _graphsage,
        _graph,
    ),
    Paper("stack LSTM parser", stack_lstm.parse, _stack_lstm, lambda: _words(1, 6)),
    Paper("interaction network", interaction.simulate, _interaction, _scene),
    Paper(
        "recurrent entity network",
        entity_network.run,
        _entity_network,
        lambda: (_sentences(0, 4), _words(1, 4)),
    ),
    Paper("BiLSTM-CRF tagger", tagger.tag, _tagger, _sentence),
)
