"""Weights and instances of the models over trees, lattices and graphs."""

from __future__ import annotations

import numpy as np

from .drawn import H, of_size, weight, whole
from .papers import (
    diora,
    graph_attention,
    lattice,
    module_network,
    molecules,
    tensor_network,
    tree_gru,
)


def draw_node(depth: int) -> tree_gru.Node:
    below = [[draw_node(depth - 1) for _ in range(whole(0, 3))] if depth else [] for _ in range(2)]
    relation = whole(0, 6) if whole(0, 2) else None
    return tree_gru.Node(whole(0, 50), whole(0, 8), below[0], below[1], relation)


def tree_gru_weights() -> tree_gru.TreeGRU:
    inputs = {f"w_{gate}": weight(4, H) for gate in "zrh"}
    states = {f"u_{gate}": weight(H, H) for gate in "zrh"}
    return tree_gru.TreeGRU(
        words=weight(50, 4),
        tags=weight(8, 4),
        relations=weight(6, 4),
        cell=tree_gru.GRUCell(**inputs, **states),
        hidden=H,
        out=weight(H, 3),
    )


def draw_sentence() -> lattice.Sentence:
    n = whole(1, 7)
    words = [[(whole(0, t), whole(0, 30)) for _ in range(whole(0, 3)) if t] for t in range(n)]
    return lattice.Sentence([whole(0, 40) for _ in range(n)], words)


def lattice_weights() -> lattice.Lattice:
    return lattice.Lattice(
        chars=weight(40, H),
        words=weight(30, H),
        cell=lattice.LSTMCell(w=weight(2 * H, 4 * H), b=weight(4 * H)),
        word_cell=weight(2 * H, 3 * H),
        word_b=weight(3 * H),
        w_gate=weight(2 * H, H),
    )


def draw_molecule() -> molecules.Molecule:
    atoms = [whole(0, 5) for _ in range(whole(1, 6))]
    bonds = [(i, whole(0, i), whole(0, 4)) for i in range(1, len(atoms))]
    return molecules.Molecule(atoms, bonds)


def molecules_weights() -> molecules.MPNN:
    return molecules.MPNN(
        atoms=weight(5, H),
        mass=weight(H),
        bonds=np.stack([weight(H, H) for _ in range(4)]),
        w=weight(2 * H, 3 * H),
        b=weight(3 * H),
        gate=weight(2 * H, H),
        out=weight(H, 1),
        rounds=3,
    )


def diora_weights() -> diora.Diora:
    return diora.Diora(
        emb=weight(50, H),
        w1=weight(2 * H, H),
        b1=weight(H),
        w2=weight(H, H),
        b2=weight(H),
        score=weight(H, H),
    )


def draw_tree(depth: int) -> tensor_network.Tree:
    label = tensor_network.LABELS[whole(0, 5)] if whole(0, 2) else None
    if depth == 0 or whole(0, 4) == 0:
        return tensor_network.Tree(whole(0, 9), label=label)
    return tensor_network.Tree(children=(draw_tree(depth - 1), draw_tree(depth - 1)), label=label)


def tensor_network_weights() -> tensor_network.RNTN:
    return tensor_network.RNTN(
        emb=weight(9, H),
        tensor=np.stack([weight(2 * H, 2 * H) for _ in range(H)]),
        w=weight(2 * H, H),
        b=weight(H),
        out=weight(H, 5),
    )


def draw_graph() -> graph_attention.Graph:
    n = whole(1, 6)
    around = {i: [whole(0, n) for _ in range(whole(0, 3))] for i in range(n) if whole(0, 3)}
    return graph_attention.Graph(of_size(5, n), around, whole(0, n))


def graph_attention_weights() -> graph_attention.GAT:
    heads = [
        graph_attention.Head(w=weight(5, H), a_from=weight(H), a_to=weight(H)) for _ in range(2)
    ]
    return graph_attention.GAT(heads=heads, out=weight(2 * H, 4))


def draw_layout(depth: int) -> module_network.Layout:
    word = [None, "red", "circle", "above", "left", "other"][whole(0, 6)]
    module, args = [("find", 0), ("and", 2), ("not", 1), ("move", 1)][whole(0, 4) if depth else 0]
    return module_network.Layout(module, word, tuple(draw_layout(depth - 1) for _ in range(args)))


def draw_question() -> module_network.Question:
    root = ("exists", None) if whole(0, 2) else ("describe", [None, "red"][whole(0, 2)])
    layout = module_network.Layout(*root, (draw_layout(2),))
    return module_network.Question(layout, of_size(5, whole(1, 5)))


def module_network_weights() -> module_network.Modules:
    return module_network.Modules(
        words=weight(5, 5),
        find=weight(5, 5),
        move=weight(5),
        describe=weight(5, 2),
        exists=weight(2, 2),
    )
