"""Binary TreeLSTM, the cell "nary" of DGL's example."""

from __future__ import annotations

from typing import Any

import dgl
import torch
from torch.nn.functional import embedding, linear

from ..shared.trees import LEFT, RIGHT, WORD, flatten_tree
from ..torch_eager.weights import as_torch
from .propagated import Propagated


def graph_of(tree: Any) -> Any:
    """The graph of a tree, with edges from children to parents, the left child's edge first."""
    rows = torch.from_numpy(flatten_tree(tree).astype("int64"))
    inner = torch.nonzero(rows[:, LEFT] >= 0)[:, 0]
    children = rows[inner][:, [LEFT, RIGHT]].reshape(-1)
    graph = dgl.graph((children, inner.repeat_interleave(2)), num_nodes=len(rows))
    graph.ndata["word"] = rows[:, WORD]
    return graph


class Net(Propagated):
    """The cell: the gates of leaves depend on words, those of inner nodes on both children."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w_leaf", "w"), "cpu")
        gates = 3 * params.emb.shape[1]
        # Two separate layers, as in the example.
        self.u_iou, self.u_f = self.p.w[:gates].contiguous(), self.p.w[gates:].contiguous()
        self.b_iou, self.b_f = self.p.b[:gates], self.p.b[gates:]

    def words(self, words: torch.Tensor) -> dict[str, torch.Tensor]:
        """The gates of leaves; as in the example, inner nodes' are also computed, then masked."""
        is_word, p = (words >= 0).float()[:, None], self.p
        gates = linear(embedding(words.clamp(min=0), p.emb), p.w_leaf, p.b_leaf)
        return {"iou": gates * is_word}

    def reduce(self, nodes: Any) -> dict[str, torch.Tensor]:
        """Reduce the messages of nodes; `mailbox` has shape [nodes, 2, H]."""
        h, c = nodes.mailbox["h"], nodes.mailbox["c"]
        both = h.view(len(h), -1)
        f = torch.sigmoid(linear(both, self.u_f, self.b_f)).view(*h.shape)
        return {"iou": linear(both, self.u_iou, self.b_iou), "c": torch.sum(f * c, 1)}
