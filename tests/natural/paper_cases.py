"""The networks of `papers/`, with weights and instances; `refused` says what the compiler has
against those that it does not take."""

from __future__ import annotations

from .cases_of_structures import (
    diora_weights,
    draw_graph,
    draw_molecule,
    draw_node,
    draw_question,
    draw_sentence,
    draw_tree,
    graph_attention_weights,
    lattice_weights,
    module_network_weights,
    molecules_weights,
    tensor_network_weights,
    tree_gru_weights,
)
from .drawn import RNG, H, of_size, weight, whole, words
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


def _actions() -> list[rnng.Action]:
    actions = [rnng.Action("NT", whole(0, 8))]
    for _ in range(whole(1, 4)):
        actions += [rnng.Action("NT", whole(0, 8)), rnng.Action("GEN", whole(0, 40))]
        actions += [rnng.Action("GEN", whole(0, 40))] * whole(0, 2)
        actions.append(rnng.Action("REDUCE"))
    return [*actions, rnng.Action("REDUCE")]


def _rnng() -> rnng.RNNG:
    return rnng.RNNG(
        words=weight(40, H),
        labels=weight(8, H),
        w_fwd=weight(2 * H, H),
        w_bwd=weight(2 * H, H),
        w_compose=weight(2 * H, H),
        b=weight(H),
        w_stack=weight(2 * H, H),
        out=weight(H, 3),
    )


def _neural_stack() -> neural_stack.Controller:
    return neural_stack.Controller(
        emb=weight(20, H),
        w=weight(3 * H, H),
        b=weight(H),
        w_push=weight(H, 1),
        w_pop=weight(H, 1),
        w_value=weight(H, H),
        out=weight(H, 20),
    )


def _points() -> list[pointer.Point]:
    return [pointer.Point(*RNG.uniform(-1, 1, 2).tolist()) for _ in range(whole(1, 7))]


def _pointer() -> pointer.PointerNet:
    return pointer.PointerNet(
        w_in=weight(2, H),
        w_enc=weight(2 * H, H),
        b_enc=weight(H),
        w_dec=weight(2 * H, H),
        b_dec=weight(H),
        w_ref=weight(H, H),
        w_q=weight(H, H),
        v=weight(H),
    )


def _example() -> spinn.Example:
    tokens, transitions, depth = words(1, 6), [], 0
    for _ in tokens:
        transitions.append(spinn.SHIFT)
        depth += 1
        while depth > 1 and whole(0, 2):
            transitions.append(spinn.REDUCE)
            depth -= 1
    return spinn.Example(tokens, transitions + [spinn.REDUCE] * (depth - 1))


def _spinn() -> spinn.SPINN:
    return spinn.SPINN(
        embed=weight(60, 2 * H),
        w_track=weight(4 * H, 4 * H),
        b_track=weight(4 * H),
        w_left=weight(H, 5 * H),
        w_right=weight(H, 5 * H),
        w_ext=weight(H, 5 * H),
        b_reduce=weight(5 * H),
        out=weight(H, 3),
    )


def _document() -> hierarchical_attention.Document:
    sentences = [words(1, 5) for _ in range(whole(1, 4))]
    title = [None, [], words(1, 4)][whole(0, 3)]
    return hierarchical_attention.Document(sentences, title, 0.5 if whole(0, 2) else None)


def _encoder(inputs: int) -> hierarchical_attention.Encoder:
    def gru() -> hierarchical_attention.GRU:
        return hierarchical_attention.GRU(
            w=weight(inputs, 3 * H), u=weight(H, 3 * H), b=weight(3 * H)
        )

    return hierarchical_attention.Encoder(
        forward=gru(), backward=gru(), w=weight(2 * H, 5), b=weight(5), context=weight(5)
    )


def _hierarchical_attention() -> hierarchical_attention.HAN:
    return hierarchical_attention.HAN(
        emb=weight(50, 4),
        word=_encoder(4),
        sentence=_encoder(2 * H),
        no_title=weight(2 * H),
        out=weight(4 * H, 5),
        stars=weight(5),
    )


def _tiny_recursive() -> tiny_recursive.TRM:
    def block() -> tiny_recursive.Block:
        return tiny_recursive.Block(
            w_token=weight(9, 9),
            norm1=weight(H),
            w_up=weight(H, 8),
            w_down=weight(4, H),
            norm2=weight(H),
        )

    return tiny_recursive.TRM(
        embed=weight(12, H),
        y_init=weight(H),
        z_init=weight(H),
        blocks=[block(), block()],
        head=weight(H, 12),
        q_head=weight(H, 1),
    )


def _ntm() -> ntm.NTM:
    def head() -> ntm.Head:
        return ntm.Head(
            key=weight(H, 5),
            beta=weight(H, 1),
            gate=weight(H, 1),
            shift=weight(H, 3),
            gamma=weight(H, 1),
        )

    return ntm.NTM(
        w=weight(4 + 5, H),
        b=weight(H),
        read=head(),
        write=head(),
        erase=weight(H, 5),
        add=weight(H, 5),
        memory=weight(7, 5),
        out=weight(H + 5, 3),
    )


def _episode() -> recurrent_q.Episode:
    steps = [
        recurrent_q.Transition(o, float(whole(0, 3)), whole(0, 3) if whole(0, 2) else None)
        for o in of_size(5, whole(1, 5))
    ]
    return recurrent_q.Episode(steps, whole(0, 2) == 0)


def _recurrent_q() -> recurrent_q.DRQN:
    return recurrent_q.DRQN(
        w_in=weight(5, H),
        w_x=weight(H, 4 * H),
        w_h=weight(H, 4 * H),
        b=weight(4 * H),
        value=weight(H, 1),
        advantage=weight(H, 3),
    )


def _beam() -> beam.Seq2Seq:
    return beam.Seq2Seq(
        source=weight(12, H),
        target=weight(12, H),
        encoder=weight(2 * H, H),
        decoder=weight(3 * H, H),
        out=weight(H, 12),
    )


# Eleven, and five more that were written when it was known what those had met.
PAPERS = (
    Paper("tree-GRU", tree_gru.classify, tree_gru_weights, lambda: draw_node(2)),
    Paper("lattice LSTM", lattice.encode, lattice_weights, draw_sentence),
    Paper("recurrent neural network grammar", rnng.parse, _rnng, _actions),
    Paper("neural stack", neural_stack.run, _neural_stack, lambda: words(1, 6)),
    Paper("pointer network", pointer.tour, _pointer, _points),
    Paper("SPINN", spinn.spinn, _spinn, _example),
    Paper(
        "hierarchical attention",
        hierarchical_attention.classify,
        _hierarchical_attention,
        _document,
    ),
    Paper("message passing over molecules", molecules.predict, molecules_weights, draw_molecule),
    Paper(
        "chart parser",
        diora.inside,
        diora_weights,
        lambda: words(1, 6),
        refused="AC017: tuple[int, int]: Tensor[1] in a dict[tuple[int, int], Tensor[]]",
    ),
    Paper(
        "tiny recursive model",
        tiny_recursive.solve,
        _tiny_recursive,
        lambda: [whole(0, 12) for _ in range(9)],
    ),
    Paper(
        "neural Turing machine",
        ntm.run,
        _ntm,
        lambda: of_size(4, whole(1, 5)),
    ),
    Paper(
        "recursive neural tensor network",
        tensor_network.node,
        tensor_network_weights,
        lambda: draw_tree(2),
    ),
    Paper("graph attention network", graph_attention.predict, graph_attention_weights, draw_graph),
    Paper("recurrent Q-learning", recurrent_q.run, _recurrent_q, _episode),
    Paper("neural module network", module_network.answer, module_network_weights, draw_question),
    Paper(
        "beam search with attention",
        beam.translate,
        _beam,
        lambda: [whole(0, 12) for _ in range(whole(1, 5))],
    ),
)
