"""What the two cells of DGL's example share: messages, nodes, and the pass over a forest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dgl
import torch


class Propagated:
    """A cell over a batched graph. The workload's are `words`, what nodes have before anything is
    propagated ("iou", the gates, among it), and `reduce`, "iou" and "c" of nodes that have the same
    number of children."""

    p: Any
    words: Callable[[torch.Tensor], dict[str, torch.Tensor]]
    reduce: Callable[[Any], dict[str, torch.Tensor]]
    n_batches: int = 0

    @staticmethod
    def message(edges: Any) -> dict[str, torch.Tensor]:
        """A child's state."""
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def update(self, nodes: Any) -> dict[str, torch.Tensor]:
        """States of the nodes of a frontier."""
        self.n_batches += 1
        i, o, u = torch.chunk(nodes.data["iou"], 3, 1)
        c = torch.sigmoid(i) * torch.tanh(u) + nodes.data["c"]
        return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}

    def __call__(self, graph: Any, roots: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(h, c) of the roots; `graph` has "word" per node, -1 where there is none."""
        graph.ndata.update(self.words(graph.ndata["word"]))
        graph.ndata["c"] = torch.zeros(graph.num_nodes(), self.p.emb.shape[1])
        graph.ndata["h"] = torch.zeros_like(graph.ndata["c"])
        dgl.prop_nodes_topo(graph, self.message, self.reduce, apply_node_func=self.update)
        return graph.ndata["h"][roots], graph.ndata["c"][roots]
