"""Five more networks, written in one go; `recent_papers` has those before."""

from __future__ import annotations

from .drawn import RNG, H, of_size, weight, whole, words
from .paper import Paper
from .papers import document_attention, gumbel_tree, relational_gcn, top_experts, tree_writer


def _gumbel_tree() -> gumbel_tree.GT:
    return gumbel_tree.GT(
        emb=weight(20, 3),
        leaf=weight(3, 2 * H),
        comp=weight(2 * H, 5 * H),
        bias=weight(5 * H),
        q=weight(H),
    )


def _relational_gcn() -> relational_gcn.RG:
    return relational_gcn.RG(
        w_in=weight(5, H),
        rel={"a": weight(H, H), "b": weight(H, H)},
        self_loop=[weight(H, H), weight(H, H)],
        out=weight(H, 4),
    )


def _graph() -> relational_gcn.G:
    n = whole(1, 6)
    edges = [(whole(0, n), str(RNG.choice(["a", "b"])), whole(0, n)) for _ in range(whole(0, 8))]
    return relational_gcn.G(of_size(5, n), edges, whole(0, n))


def _top_experts() -> top_experts.MoE:
    return top_experts.MoE(
        emb=weight(20, H), gate=weight(H, 4), up=weight(4, H, 8), down=weight(4, 8, H)
    )


def _tree_writer() -> tree_writer.TD:
    return tree_writer.TD(
        emb=weight(7, H),
        w=weight(2 * H, H),
        u=weight(2 * H, H),
        cls=weight(H, 7),
        stop=weight(H, 1),
    )


def _attention() -> document_attention.Att:
    return document_attention.Att(
        wq=weight(H, H), wk=weight(H, H), wv=weight(H, H), wo=weight(H, H)
    )


def _document_attention() -> document_attention.HAN:
    return document_attention.HAN(
        emb=weight(20, H), word=_attention(), sent=_attention(), q=weight(H), out=weight(H, 3)
    )


NEWEST = (
    Paper("Gumbel tree-LSTM", gumbel_tree.gumbel, _gumbel_tree, lambda: words(1, 7)),
    Paper("relational GCN", relational_gcn.rgcn, _relational_gcn, _graph),
    Paper("top-2 experts", top_experts.moe, _top_experts, lambda: words(1, 6)),
    Paper("tree writer", tree_writer.decode, _tree_writer, lambda: whole(0, 7)),
    Paper(
        "document attention",
        document_attention.han,
        _document_attention,
        lambda: [words(0, 5) for _ in range(whole(0, 4))],
    ),
)
