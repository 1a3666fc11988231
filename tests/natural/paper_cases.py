"""The networks of `papers/`, with weights and instances; `refused` says what the compiler has
against those that it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np

from .model import draw
from .paper import Paper
from .papers import (
    beam,
    diora,
    graph_attention,
    hierarchical_attention,
    lattice,
    module_network,
    molecules,
    neural_stack,
    ntm,
    pointer,
    recurrent_q,
    rnng,
    spinn,
    tensor_network,
    tiny_recursive,
    tree_gru,
)

_RNG = np.random.default_rng(3)
H = 6  # the hidden size


def _draw(*shape: int) -> np.ndarray[Any, Any]:
    return draw(_RNG, *shape)


def _whole(low: int, high: int) -> int:
    return int(_RNG.integers(low, high))


def _words(low: int, high: int) -> list[int]:
    return [_whole(0, 20) for _ in range(_whole(low, high))]


def _node(depth: int) -> tree_gru.Node:
    below = [[_node(depth - 1) for _ in range(_whole(0, 3))] if depth else [] for _ in range(2)]
    relation = _whole(0, 6) if _whole(0, 2) else None
    return tree_gru.Node(_whole(0, 50), _whole(0, 8), below[0], below[1], relation)


def _tree_gru() -> tree_gru.TreeGRU:
    inputs = {f"w_{gate}": _draw(4, H) for gate in "zrh"}
    states = {f"u_{gate}": _draw(H, H) for gate in "zrh"}
    return tree_gru.TreeGRU(
        words=_draw(50, 4),
        tags=_draw(8, 4),
        relations=_draw(6, 4),
        cell=tree_gru.GRUCell(**inputs, **states),
        hidden=H,
        out=_draw(H, 3),
    )


def _sentence() -> lattice.Sentence:
    n = _whole(1, 7)
    words = [[(_whole(0, t), _whole(0, 30)) for _ in range(_whole(0, 3)) if t] for t in range(n)]
    return lattice.Sentence([_whole(0, 40) for _ in range(n)], words)


def _lattice() -> lattice.Lattice:
    return lattice.Lattice(
        chars=_draw(40, H),
        words=_draw(30, H),
        cell=lattice.LSTMCell(w=_draw(2 * H, 4 * H), b=_draw(4 * H)),
        word_cell=_draw(2 * H, 3 * H),
        word_b=_draw(3 * H),
        w_gate=_draw(2 * H, H),
    )


def _actions() -> list[rnng.Action]:
    actions = [rnng.Action("NT", _whole(0, 8))]
    for _ in range(_whole(1, 4)):
        actions += [rnng.Action("NT", _whole(0, 8)), rnng.Action("GEN", _whole(0, 40))]
        actions += [rnng.Action("GEN", _whole(0, 40))] * _whole(0, 2)
        actions.append(rnng.Action("REDUCE"))
    return [*actions, rnng.Action("REDUCE")]


def _rnng() -> rnng.RNNG:
    return rnng.RNNG(
        words=_draw(40, H),
        labels=_draw(8, H),
        w_fwd=_draw(2 * H, H),
        w_bwd=_draw(2 * H, H),
        w_compose=_draw(2 * H, H),
        b=_draw(H),
        w_stack=_draw(2 * H, H),
        out=_draw(H, 3),
    )


def _neural_stack() -> neural_stack.Controller:
    return neural_stack.Controller(
        emb=_draw(20, H),
        w=_draw(3 * H, H),
        b=_draw(H),
        w_push=_draw(H, 1),
        w_pop=_draw(H, 1),
        w_value=_draw(H, H),
        out=_draw(H, 20),
    )


def _points() -> list[pointer.Point]:
    return [pointer.Point(*_RNG.uniform(-1, 1, 2).tolist()) for _ in range(_whole(1, 7))]


def _pointer() -> pointer.PointerNet:
    return pointer.PointerNet(
        w_in=_draw(2, H),
        w_enc=_draw(2 * H, H),
        b_enc=_draw(H),
        w_dec=_draw(2 * H, H),
        b_dec=_draw(H),
        w_ref=_draw(H, H),
        w_q=_draw(H, H),
        v=_draw(H),
    )


def _example() -> spinn.Example:
    tokens, transitions, depth = _words(1, 6), [], 0
    for _ in tokens:
        transitions.append(spinn.SHIFT)
        depth += 1
        while depth > 1 and _whole(0, 2):
            transitions.append(spinn.REDUCE)
            depth -= 1
    return spinn.Example(tokens, transitions + [spinn.REDUCE] * (depth - 1))


def _spinn() -> spinn.SPINN:
    return spinn.SPINN(
        embed=_draw(60, 2 * H),
        w_track=_draw(4 * H, 4 * H),
        b_track=_draw(4 * H),
        w_left=_draw(H, 5 * H),
        w_right=_draw(H, 5 * H),
        w_ext=_draw(H, 5 * H),
        b_reduce=_draw(5 * H),
        out=_draw(H, 3),
    )


def _document() -> hierarchical_attention.Document:
    sentences = [_words(1, 5) for _ in range(_whole(1, 4))]
    title = [None, [], _words(1, 4)][_whole(0, 3)]
    return hierarchical_attention.Document(sentences, title, 0.5 if _whole(0, 2) else None)


def _encoder(inputs: int) -> hierarchical_attention.Encoder:
    def gru() -> hierarchical_attention.GRU:
        return hierarchical_attention.GRU(w=_draw(inputs, 3 * H), u=_draw(H, 3 * H), b=_draw(3 * H))

    return hierarchical_attention.Encoder(
        forward=gru(), backward=gru(), w=_draw(2 * H, 5), b=_draw(5), context=_draw(5)
    )


def _hierarchical_attention() -> hierarchical_attention.HAN:
    return hierarchical_attention.HAN(
        emb=_draw(50, 4),
        word=_encoder(4),
        sentence=_encoder(2 * H),
        no_title=_draw(2 * H),
        out=_draw(4 * H, 5),
        stars=_draw(5),
    )


def _molecule() -> molecules.Molecule:
    atoms = [_whole(0, 5) for _ in range(_whole(1, 6))]
    bonds = [(i, _whole(0, i), _whole(0, 4)) for i in range(1, len(atoms))]
    return molecules.Molecule(atoms, bonds)


def _molecules() -> molecules.MPNN:
    return molecules.MPNN(
        atoms=_draw(5, H),
        mass=_draw(H),
        bonds=np.stack([_draw(H, H) for _ in range(4)]),
        w=_draw(2 * H, 3 * H),
        b=_draw(3 * H),
        gate=_draw(2 * H, H),
        out=_draw(H, 1),
        rounds=3,
    )


def _diora() -> diora.Diora:
    return diora.Diora(
        emb=_draw(50, H),
        w1=_draw(2 * H, H),
        b1=_draw(H),
        w2=_draw(H, H),
        b2=_draw(H),
        score=_draw(H, H),
    )


def _tiny_recursive() -> tiny_recursive.TRM:
    def block() -> tiny_recursive.Block:
        return tiny_recursive.Block(
            w_token=_draw(9, 9),
            norm1=_draw(H),
            w_up=_draw(H, 8),
            w_down=_draw(4, H),
            norm2=_draw(H),
        )

    return tiny_recursive.TRM(
        embed=_draw(12, H),
        y_init=_draw(H),
        z_init=_draw(H),
        blocks=[block(), block()],
        head=_draw(H, 12),
        q_head=_draw(H, 1),
    )


def _ntm() -> ntm.NTM:
    def head() -> ntm.Head:
        return ntm.Head(
            key=_draw(H, 5),
            beta=_draw(H, 1),
            gate=_draw(H, 1),
            shift=_draw(H, 3),
            gamma=_draw(H, 1),
        )

    return ntm.NTM(
        w=_draw(4 + 5, H),
        b=_draw(H),
        read=head(),
        write=head(),
        erase=_draw(H, 5),
        add=_draw(H, 5),
        memory=_draw(7, 5),
        out=_draw(H + 5, 3),
    )


def _tree(depth: int) -> tensor_network.Tree:
    label = tensor_network.LABELS[_whole(0, 5)] if _whole(0, 2) else None
    if depth == 0 or _whole(0, 4) == 0:
        return tensor_network.Tree(_whole(0, 9), label=label)
    return tensor_network.Tree(children=(_tree(depth - 1), _tree(depth - 1)), label=label)


def _tensor_network() -> tensor_network.RNTN:
    return tensor_network.RNTN(
        emb=_draw(9, H),
        tensor=np.stack([_draw(2 * H, 2 * H) for _ in range(H)]),
        w=_draw(2 * H, H),
        b=_draw(H),
        out=_draw(H, 5),
    )


def _graph() -> graph_attention.Graph:
    n = _whole(1, 6)
    around = {i: [_whole(0, n) for _ in range(_whole(0, 3))] for i in range(n) if _whole(0, 3)}
    return graph_attention.Graph(_of_size(5, n), around, _whole(0, n))


def _of_size(width: int, n: int) -> list[Any]:
    return [_RNG.normal(size=width).astype(np.float32) for _ in range(n)]


def _graph_attention() -> graph_attention.GAT:
    heads = [graph_attention.Head(w=_draw(5, H), a_from=_draw(H), a_to=_draw(H)) for _ in range(2)]
    return graph_attention.GAT(heads=heads, out=_draw(2 * H, 4))


def _episode() -> recurrent_q.Episode:
    steps = [
        recurrent_q.Transition(o, float(_whole(0, 3)), _whole(0, 3) if _whole(0, 2) else None)
        for o in _of_size(5, _whole(1, 5))
    ]
    return recurrent_q.Episode(steps, _whole(0, 2) == 0)


def _recurrent_q() -> recurrent_q.DRQN:
    return recurrent_q.DRQN(
        w_in=_draw(5, H),
        w_x=_draw(H, 4 * H),
        w_h=_draw(H, 4 * H),
        b=_draw(4 * H),
        value=_draw(H, 1),
        advantage=_draw(H, 3),
    )


def _layout(depth: int) -> module_network.Layout:
    word = [None, "red", "circle", "above", "left", "other"][_whole(0, 6)]
    module, args = [("find", 0), ("and", 2), ("not", 1), ("move", 1)][_whole(0, 4) if depth else 0]
    return module_network.Layout(module, word, tuple(_layout(depth - 1) for _ in range(args)))


def _question() -> module_network.Question:
    root = ("exists", None) if _whole(0, 2) else ("describe", [None, "red"][_whole(0, 2)])
    layout = module_network.Layout(*root, (_layout(2),))
    return module_network.Question(layout, _of_size(5, _whole(1, 5)))


def _module_network() -> module_network.Modules:
    return module_network.Modules(
        words=_draw(5, 5),
        find=_draw(5, 5),
        move=_draw(5),
        describe=_draw(5, 2),
        exists=_draw(2, 2),
    )


def _beam() -> beam.Seq2Seq:
    return beam.Seq2Seq(
        source=_draw(12, H),
        target=_draw(12, H),
        encoder=_draw(2 * H, H),
        decoder=_draw(3 * H, H),
        out=_draw(H, 12),
    )


# Eleven, and five more that were written when it was known what those had met.
PAPERS = (
    Paper("tree-GRU", tree_gru.classify, _tree_gru, lambda: _node(2)),
    Paper("lattice LSTM", lattice.encode, _lattice, _sentence),
    Paper("recurrent neural network grammar", rnng.parse, _rnng, _actions),
    Paper("neural stack", neural_stack.run, _neural_stack, lambda: _words(1, 6)),
    Paper("pointer network", pointer.tour, _pointer, _points),
    Paper("SPINN", spinn.spinn, _spinn, _example),
    Paper(
        "hierarchical attention",
        hierarchical_attention.classify,
        _hierarchical_attention,
        _document,
    ),
    Paper("message passing over molecules", molecules.predict, _molecules, _molecule),
    Paper(
        "chart parser",
        diora.inside,
        _diora,
        lambda: _words(1, 6),
        refused="AC017: tuple[int, int]: Tensor[1] in a dict[tuple[int, int], Tensor[]]",
    ),
    Paper(
        "tiny recursive model",
        tiny_recursive.solve,
        _tiny_recursive,
        lambda: [_whole(0, 12) for _ in range(9)],
        refused="AC010: matmul of Tensor[9, 9] and Tensor[?, 6]",
    ),
    Paper(
        "neural Turing machine",
        ntm.run,
        _ntm,
        lambda: _of_size(4, _whole(1, 5)),
        refused="AC010: matmul of Tensor[I + M] and Tensor[IM, H]: I + M columns meet IM rows",
    ),
    Paper(
        "recursive neural tensor network", tensor_network.node, _tensor_network, lambda: _tree(2)
    ),
    Paper("graph attention network", graph_attention.predict, _graph_attention, _graph),
    Paper("recurrent Q-learning", recurrent_q.run, _recurrent_q, _episode),
    Paper("neural module network", module_network.answer, _module_network, _question),
    Paper(
        "beam search with attention",
        beam.translate,
        _beam,
        lambda: [_whole(0, 12) for _ in range(_whole(1, 5))],
    ),
)
