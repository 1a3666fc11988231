"""Child-sum TreeLSTM, the cell "childsum" of DGL's example, with a word at every node."""

from __future__ import annotations

from typing import Any

import dgl
import torch
from torch.nn.functional import embedding, linear

from ..shared.rooted import PARENT, WORD, flatten_rooted
from ..torch_eager.weights import as_torch
from .propagated import Propagated


def graph_of(tree: Any) -> Any:
    """The graph of a tree, with edges from children to parents."""
    rows = torch.from_numpy(flatten_rooted(tree).astype("int64"))
    children = torch.nonzero(rows[:, PARENT] >= 0)[:, 0]
    graph = dgl.graph((children, rows[children, PARENT]), num_nodes=len(rows))
    graph.ndata["word"] = rows[:, WORD]
    return graph


class Net(Propagated):
    """The cell; the contribution of words to the forget gates is also a field of nodes."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w", "u", "u_f"), "cpu")

    def words(self, words: torch.Tensor) -> dict[str, torch.Tensor]:
        """The contribution of words to all gates."""
        gates = linear(embedding(words, self.p.emb), self.p.w, self.p.b)
        width = 3 * self.p.emb.shape[1]
        return {"iou": gates[:, :width], "f": gates[:, width:]}

    def reduce(self, nodes: Any) -> dict[str, torch.Tensor]:
        """Reduce the messages of nodes; `mailbox` has shape [nodes, children, H]."""
        h, c = nodes.mailbox["h"], nodes.mailbox["c"]
        f = torch.sigmoid(nodes.data["f"][:, None] + linear(h, self.p.u_f))
        iou = nodes.data["iou"] + linear(torch.sum(h, 1), self.p.u)
        return {"iou": iou, "c": torch.sum(f * c, 1)}
